import RallyText
import RallyWire

/// Members of an object as apps write them.
extension JSONValue {
  /// A number, also one that stands there as text; nil for anything else.
  var looseNumber: Double? {
    let number: Double? =
      switch self {
      case .integer(let value): Double(value)
      case .number(let value): value
      case .string(let text): Double(text)
      case .null, .bool, .array, .object: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// nil for a missing value and for one of a wrong type.
  func number(_ key: String) -> Double? { self[key]?.looseNumber }

  /// nil for a missing value and for one of a wrong type.
  func text(_ key: String) -> String? { self[key]?.string }
}
