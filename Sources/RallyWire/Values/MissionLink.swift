import FoundationEssentials

/// `rally://mission/ID`: opens a mission in the Rally of whoever may see it. The id tells nothing and
/// lets nobody in.
public struct MissionLink: Hashable, Sendable, CustomStringConvertible {
  public static let prefix = "rally://mission/"

  public let id: UUID

  public init(id: UUID) { self.id = id }

  /// - Returns: nil for anything but such a link.
  public init?(_ text: String) {
    guard text.lowercased().hasPrefix(Self.prefix),
      let id = UUID(wireText: String(text.dropFirst(Self.prefix.count)))
    else { return nil }
    self.id = id
  }

  public var description: String { Self.prefix + id.wireText }
}
