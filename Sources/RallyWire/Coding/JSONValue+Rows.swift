import RallyText

public typealias JSONValue = RallyText.JSONValue

extension JSONValue {
  /// The value of a typed row as JSON.
  ///
  /// - Throws: `EncodingError`.
  public init(encoding value: some Encodable) throws {
    self = try JSONValueEncoder.encode(value)
  }

  /// This value as a typed row.
  ///
  /// - Throws: `DecodingError` if it has another shape.
  public func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try WireJSON.decode(type, from: WireJSON.encode(self))
  }
}
