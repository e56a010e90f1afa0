import Foundation
import RallyText

/// A statement with PostgreSQL's numbered parameters.
struct PostgresStatement: Hashable, Sendable {
  private enum Mark: Hashable, Sendable {
    case ordered(Int)
    case named(String)
  }

  /// With `$1`, `$2` in the place of `?` and `:name`.
  let sql: String
  private let marks: [Mark]

  init(_ text: String) {
    var sql: [UInt8] = []
    var marks: [Mark] = []
    var ordered = 0
    let bytes = Array(text.utf8)
    var index = 0
    /// Where the name ends that begins here.
    func endOfName(_ start: Int) -> Int {
      var end = start
      while end < bytes.count, bytes[end].isAlphanumeric(or: "_") { end += 1 }
      return end
    }
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        let end = bytes[(index + 1)...].firstIndex(of: byte) ?? bytes.count - 1
        sql += bytes[index...end]
        index = end + 1
      case UInt8(ascii: "?"):
        marks.append(.ordered(ordered))
        ordered += 1
        sql += Array("$\(marks.count)".utf8)
        index += 1
      case UInt8(ascii: ":") where index + 1 < bytes.count && bytes[index + 1] == byte:
        sql += [byte, byte]
        index += 2
      case UInt8(ascii: ":") where endOfName(index + 1) > index + 1:
        let end = endOfName(index + 1)
        let mark = Mark.named(String(decoding: bytes[(index + 1)..<end], as: UTF8.self))
        let known = marks.firstIndex(of: mark)
        if known == nil { marks.append(mark) }
        sql += Array("$\((known ?? marks.count - 1) + 1)".utf8)
        index = end
      default:
        sql.append(byte)
        index += 1
      }
    }
    self.sql = String(decoding: sql, as: UTF8.self)
    self.marks = marks
  }

  package func values(_ arguments: StatementArguments) throws -> [SQLValue] {
    try marks.map { mark in
      let value: SQLValue? =
        switch mark {
        case .ordered(let index):
          index < arguments.ordered.count ? arguments.ordered[index] : nil
        case .named(let name): arguments.named[name]
        }
      guard let value else {
        throw StorageFailure(kind: .other, message: "an argument is missing in: \(sql)")
      }
      return value
    }
  }
}

/// Conversion of values; the numbers are OIDs of PostgreSQL's table `pg_type`.
enum PostgresType {
  private static let boolean: UInt32 = 16
  private static let integers: Set<UInt32> = [20, 21, 23, 26]
  private static let reals: Set<UInt32> = [700, 701, 1700]

  /// The OID that a value is sent as; zero lets the server infer it.
  static func number(_ value: SQLValue) -> UInt32 {
    switch value {
    case .null: 0
    case .integer: 20
    case .real: 701
    case .text: 25
    }
  }

  /// A letter for the type, for the key of a prepared statement.
  static func letter(_ value: SQLValue) -> UInt8 {
    switch value {
    case .null: UInt8(ascii: "n")
    case .integer: UInt8(ascii: "i")
    case .real: UInt8(ascii: "r")
    case .text: UInt8(ascii: "t")
    }
  }

  /// - Throws: `StorageFailure` for text with a zero byte, which PostgreSQL cannot store.
  static func text(_ value: SQLValue) throws -> String? {
    switch value {
    case .null: return nil
    case .integer(let number): return String(number)
    case .real(let number): return String(number)
    case .text(let text):
      guard !text.utf8.contains(0) else {
        throw StorageFailure(kind: .constraint, message: "PostgreSQL does not keep zero bytes")
      }
      return text
    }
  }

  static func value(of type: UInt32, _ text: UnsafePointer<CChar>, length: Int) -> SQLValue {
    if integers.contains(type) { return .integer(strtoll(text, nil, 10)) }
    if reals.contains(type) { return .real(strtod(text, nil)) }
    if type == boolean { return .integer(text.pointee == CChar(UInt8(ascii: "t")) ? 1 : 0) }
    return .text(
      UnsafeRawBufferPointer(start: text, count: length).withMemoryRebound(to: UInt8.self) {
        String(decoding: $0, as: UTF8.self)
      })
  }
}
