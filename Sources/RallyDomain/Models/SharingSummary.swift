/// How many friends see me, for the status bar: it always tells what the server will show them,
/// never what was only asked for.
public struct SharingSummary: Hashable, Sendable {
  /// Friends who may see something of me.
  public var sharedCount: Int
  /// Those of them who see everything.
  public var preciseCount: Int
  /// Whether I am a ghost, or on the way to it; nil for neither.
  public var ghost: GhostPhase?

  public init(sharedCount: Int, preciseCount: Int, ghost: GhostPhase? = nil) {
    self.sharedCount = sharedCount
    self.preciseCount = preciseCount
    self.ghost = ghost
  }

  /// Never counts less than the server may still show, nor less than it is about to.
  init(agreed: SharingSummary, wanted: SharingSummary, ghost: GhostPhase?) {
    self.init(
      sharedCount: max(agreed.sharedCount, wanted.sharedCount),
      preciseCount: max(agreed.preciseCount, wanted.preciseCount), ghost: ghost)
  }

  /// `shared with 7 · 2 precise`, `sharing with nobody`, `ghost`, or
  /// `ghost pending · still shared with 7`.
  public var sentence: String {
    let shared =
      preciseCount > 0
      ? "shared with \(sharedCount) · \(preciseCount) precise" : "shared with \(sharedCount)"
    return switch (ghost, sharedCount) {
    case (.pending, 0): "ghost pending"
    case (.pending, _): "ghost pending · still shared with \(sharedCount)"
    case (.gone, 0): "ghost"
    case (nil, 0): "sharing with nobody"
    default: shared
    }
  }
}

/// How far somebody is on the way to being seen by nobody.
public enum GhostPhase: String, Hashable, Sendable, Codable {
  /// Wanted, but the server has not agreed to all of it yet: friends may still see me.
  case pending
  /// The server shows nobody anything.
  case gone
}
