import Foundation

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
