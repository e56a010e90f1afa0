import RallyWire

/// How the program is connected to its server, for the status bar.
public enum LinkState: Hashable, Sendable {
  /// Nobody is signed in, so nothing is connected.
  case signedOut
  case connecting
  /// Changes arrive as they happen.
  case live
  /// Connected, but the policy switched realtime off: lists are asked for at an interval.
  case polling
  /// The server has not answered a heartbeat; the link may be dead.
  case stale
  /// Not connected; the next attempt is at `retryAt`, and `reason` says what failed.
  case offline(retryAt: WireTime?, reason: String)

  public var isOffline: Bool { if case .offline = self { true } else { false } }

  /// Whether the server answers.
  public var isReached: Bool { self == .live || self == .polling }
}
