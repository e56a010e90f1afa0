import RallyText
import RallyWire

extension JSONValue {
  /// A number, whole or not.
  var asNumber: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}
