import RallyText

/// The length limits of a text: grapheme clusters, and bytes of UTF-8.
///
/// One grapheme cluster can hold any number of marks, so a limit of clusters alone does not bound
/// the size. The server refuses longer text; the client cuts longer text that it receives.
public struct TextLimits: Hashable, Sendable {
  /// Combining marks (general category M) in one grapheme cluster.
  public static let marks = Character.marksLimit

  public static let username = TextLimits(clusters: 24, bytes: 96)
  /// What SMTP's path of 256 bytes leaves of an address (RFC 5321, 4.5.3.1.3).
  public static let email = TextLimits(clusters: 254, bytes: 254)
  public static let name = TextLimits(clusters: 40, bytes: 160)
  public static let bio = TextLimits(clusters: 160, bytes: 640)
  /// The title of a mission or of an objective.
  public static let title = TextLimits(clusters: 60, bytes: 240)
  public static let brief = TextLimits(clusters: 500, bytes: 2000)
  /// A line of a mission's activity, or any other sentence.
  public static let line = TextLimits(clusters: 500, bytes: 2000)

  /// Grapheme clusters.
  public let clusters: Int
  /// In UTF-8.
  public let bytes: Int

  // MARK: - Refusing

  /// Cleans and trims a text and checks that it fits; every form field uses this rule.
  ///
  /// - Parameters:
  ///   - field: The field that the refusal is shown on.
  ///   - ifEmpty: The advice for a text without visible characters; nil accepts it as empty.
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public func checked(
    _ text: String, on field: FieldProblem.Field, ifEmpty: String? = nil
  ) throws(FieldProblem) -> String {
    let text = text.cleanedForDisplay.trimmed
    if text.drawsNothing {
      guard let ifEmpty else { return "" }
      throw FieldProblem(field: field, advice: ifEmpty)
    }
    if let advice = advice(on: text) { throw FieldProblem(field: field, advice: advice) }
    return text
  }

  /// The advice for a text that is too long; nil if it fits.
  private func advice(on text: String) -> String? {
    if TextLimits.isShort(text, clusters) { return nil }
    if text.count > clusters { return "Use at most \(clusters) characters." }
    if text.contains(where: { $0.unicodeScalars.count(where: \.isMark) > TextLimits.marks }) {
      return "Use at most \(TextLimits.marks) accents on one character."
    }
    guard text.utf8.count > bytes else { return nil }
    return "Use fewer emoji or accents: this takes \(text.utf8.count) of \(bytes) bytes."
  }

  // MARK: - Cutting

  /// The text cleaned and cut to what fits.
  public func shown(_ text: String) -> String {
    if text.utf8.count <= clusters, text.utf8.allSatisfy(TextLimits.isPlain) { return text }
    return cut(text.cleanedForDisplay)
  }

  /// Whether a byte is of printable ASCII or of a letter from U+00C0 to U+02FF, which most names
  /// are made of. These act on nothing, and each is a grapheme cluster.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20..<0x7F, 0x80..<0xC0, 0xC3..<0xCC: true
    default: false
    }
  }

  /// As many leading clusters as fit, with excess marks removed.
  public func cut(_ text: String) -> String {
    if TextLimits.isShort(text, clusters) { return text }
    var kept = ""
    var count = 0
    for character in beginning(of: text) {
      let cluster = character.withFewMarks
      count += 1
      guard count <= clusters, kept.utf8.count + cluster.utf8.count <= bytes else { break }
      kept += cluster
    }
    return kept
  }

  /// Whether the text is short ASCII, which has no combining marks and at most one cluster a byte.
  private static func isShort(_ text: String, _ clusters: Int) -> Bool {
    text.utf8.count <= clusters && text.utf8.allSatisfy { $0 < 0x80 }
  }

  /// A prefix long enough to fill the limits, so that a cluster of a megabyte is not scanned whole.
  private func beginning(of text: String) -> String {
    guard text.utf8.count > bytes else { return text }
    var scalars = String.UnicodeScalarView()
    var size = 0
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar.isMark ? run + 1 : 0
      if run > TextLimits.marks { continue }
      scalars.append(scalar)
      size += UTF8.width(scalar)
      if size > 2 * bytes { break }
    }
    return String(scalars)
  }
}

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

/// Text of a row, cleaned for display and cut to its limits when the row is decoded. So no server
/// can send longer text or escape sequences to the terminal. Encoding leaves it unchanged.
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

/// Why typed text cannot be accepted, shown on its field.
public struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Field: String, Sendable, Codable {
    case username, displayName = "display_name", bio, email, password, server, place
    case title, brief, radius, capacity, starts, ends, repeats, until, visibility, live, objectives,
      text, code, file
  }

  public let field: Field
  /// One sentence that says what to type instead.
  public let advice: String

  public init(field: Field, advice: String) {
    self.field = field
    self.advice = advice
  }

  public var description: String { advice }
}
