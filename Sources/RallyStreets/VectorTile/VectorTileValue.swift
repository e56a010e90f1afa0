/// A property's value.
enum VectorTileValue: Hashable, Sendable {
  case string(String)
  case float(Float)
  case double(Double)
  case int(Int64)
  case uint(UInt64)
  case bool(Bool)
}

extension VectorTileValue {
  /// The value as a whole number, whichever type the encoder chose; nil for a text, for NaN, and
  /// beyond 2^53.
  var integer: Int? {
    switch self {
    case .string: nil
    case .float(let value): Int(exactly: value.rounded())
    case .double(let value): Int(exactly: value.rounded())
    case .int(let value): Int(value)
    case .uint(let value): Int(exactly: value)
    case .bool(let value): value ? 1 : 0
    }
  }
}
