import Foundation
import RallyText
import RallyWire

/// A value of a column, ordered as in PostgreSQL.
package enum RowValue: Hashable, Comparable, Sendable {
  /// Text and ids, compared byte by byte.
  case text(String)
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case time(WireTime)

  /// The value that a filter names.
  ///
  /// - Throws: `22P02` or `22007` for text that is no value of the type.
  package init(_ text: String, as type: ColumnType) throws {
    guard let value = RowValue.read(text, as: type) else {
      throw FunctionFailure(
        code: type == .time ? "22007" : "22P02",
        message: "invalid input syntax for type \(type.title): \"\(text)\"")
    }
    self = value
  }

  /// The value that a row has; nil for null.
  package init?(_ value: JSONValue?, as type: ColumnType) {
    switch (value, type) {
    case (.string(let text), .time):
      guard let time = WireTime(text) else { return nil }
      self = .time(time)
    case (.string(let text), _): self = .text(text)
    case (.bool(let flag), _): self = .bool(flag)
    case (.integer(let number), .number): self = .number(Double(number))
    case (.integer(let number), _): self = .integer(number)
    case (.number(let number), _): self = .number(number)
    case (.null, _), (.array, _), (.object, _), (nil, _): return nil
    }
  }

  private static func read(_ text: String, as type: ColumnType) -> RowValue? {
    switch type {
    case .text: return .text(text)
    case .uuid: return UUID(wireText: text).map { .text($0.wireText) }
    case .bool:
      switch text.lowercased() {
      case "true", "t", "yes", "on", "1": return .bool(true)
      case "false", "f", "no", "off", "0": return .bool(false)
      default: return nil
      }
    case .integer: return Int64(text).map(RowValue.integer)
    case .number: return Double(text).flatMap { $0.isNaN ? nil : .number($0) }
    case .time:
      // A date alone and a time without a zone are read as UTC, which is the database's zone.
      return [text, text + "Z", text + "T00:00:00Z"].lazy.compactMap { WireTime($0) }.first
        .map(RowValue.time)
    case .json: return nil
    }
  }

  /// The value as storage keeps it, for lookups by key.
  package var key: String? { if case .text(let text) = self { text } else { nil } }

  package static func == (a: RowValue, b: RowValue) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.time(let a), .time(let b)): a == b
    default: false
    }
  }

  package static func < (a: RowValue, b: RowValue) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bool(let a), .bool(let b)): !a && b
    case (.integer(let a), .integer(let b)): a < b
    case (.number(let a), .number(let b)): a < b
    case (.time(let a), .time(let b)): a < b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .bool(let flag): hasher.combine(flag)
    case .integer(let number): hasher.combine(number)
    case .number(let number): hasher.combine(number)
    case .time(let time): hasher.combine(time)
    }
  }
}
