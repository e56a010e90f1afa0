/// The kind of a text in a row, which determines its limits.
public protocol TextKind: Sendable {
  static var limits: TextLimits { get }
}

public enum UsernameText: TextKind { public static let limits = TextLimits.username }
public enum NameText: TextKind { public static let limits = TextLimits.name }
public enum BioText: TextKind { public static let limits = TextLimits.bio }
public enum TitleText: TextKind { public static let limits = TextLimits.title }
public enum BriefText: TextKind { public static let limits = TextLimits.brief }
public enum LineText: TextKind { public static let limits = TextLimits.line }

/// Text of a row, cleaned for display and cut to its limits when the row is decoded, so that no
/// server can send longer text or escape sequences to the terminal. Encoding leaves it unchanged.
@propertyWrapper
public struct WireText<Kind: TextKind>: Hashable, Sendable, Codable {
  public var wrappedValue: String

  public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

  public init(from decoder: any Decoder) throws {
    wrappedValue = Kind.limits.shown(try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// `WireText` that may be missing or null; nil is left out when it is encoded.
@propertyWrapper
public struct OptionalWireText<Kind: TextKind>: Hashable, Sendable, Codable {
  public var wrappedValue: String?

  public init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue =
      container.decodeNil() ? nil : Kind.limits.shown(try container.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

// Synthesized `Codable` conformances call these overloads, since they are the most specific ones.

extension KeyedDecodingContainer {
  func decode<Kind>(
    _ type: OptionalWireText<Kind>.Type, forKey key: Key
  ) throws -> OptionalWireText<Kind> {
    try decodeIfPresent(type, forKey: key) ?? OptionalWireText(wrappedValue: nil)
  }
}

extension KeyedEncodingContainer {
  mutating func encode<Kind>(_ text: OptionalWireText<Kind>, forKey key: Key) throws {
    try encodeIfPresent(text.wrappedValue, forKey: key)
  }
}
