import FoundationEssentials

/// A UUID that is written in lower case, as PostgreSQL does; Foundation would write upper case.
@propertyWrapper
public struct WireID: Hashable, Sendable, Codable {
  public var wrappedValue: UUID

  public init(wrappedValue: UUID) { self.wrappedValue = wrappedValue }

  public init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(UUID.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue.wireText)
  }
}

extension UUID {
  /// Lower-case text, the form on the wire and in storage.
  public var wireText: String { uuidString.lowercased() }
}
