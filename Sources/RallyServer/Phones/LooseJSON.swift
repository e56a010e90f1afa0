import Foundation

/// A number as apps write it, in JSON also as text; nil for anything else.
struct LooseNumber: Decodable, Sendable {
  let value: Double?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let number =
      (try? container.decode(Double.self))
      ?? (try? container.decode(String.self)).flatMap { Double($0) }
    value = number.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// An element of a list that is left out where it has the wrong shape.
struct LooseElement<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

extension KeyedDecodingContainer {
  /// nil for a missing value and for one of a wrong type.
  func number(_ key: Key) -> Double? { (try? decode(LooseNumber.self, forKey: key))?.value }

  /// nil for a missing value and for one of a wrong type.
  func text(_ key: Key) -> String? { try? decode(String.self, forKey: key) }
}
