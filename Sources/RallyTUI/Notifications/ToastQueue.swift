import RallyDomain
import RallySystem
import TerminalKit

/// A line that comes up by itself.
public struct Toast: Hashable, Sendable, Identifiable {
  public enum Kind: Hashable, Sendable { case information, success, warning, failure }

  public var id: Int
  public var kind: Kind
  public var text: String
  /// Details for an error report, copied with the toast.
  public var details: String?
  /// What it is about, if one message after the other may be about the same.
  public var topic: String?
  /// Whether it is no longer so once the server is reached.
  public var untilReached = false
  public var shownAt: ContinuousClock.Instant

  /// Failures stay until they are dismissed.
  public var staysUntilDismissed: Bool { kind == .failure }

  public var glyph: String {
    switch kind {
    case .information: "·"
    case .success: "✓"
    case .warning: "▲"
    case .failure: "!"
    }
  }

  public var style: Style {
    switch kind {
    case .information: .normal
    case .success: .success
    case .warning: .warning
    case .failure: .danger
    }
  }
}

/// The toasts of a session: the newest is shown, all are kept.
///
/// A value that takes the time, so tests move the clock by hand.
public struct ToastQueue: Hashable, Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// How long a toast is shown that needs no answer.
  public static let lifetime: Duration = .seconds(4)
  /// How many are kept for `:messages`.
  public static let historyLimit = 500

  public private(set) var current: Toast?
  /// The oldest first.
  public private(set) var history: [Toast] = []
  private var nextID = 0

  public init() {}

  /// The last message that has details.
  public var lastDetailed: Toast? { history.last { $0.details != nil } }

  /// - Parameter topic: A message of the same topic right before this one is replaced by it.
  public mutating func show(
    _ text: String, kind: Toast.Kind = .information, details: String? = nil,
    topic: String? = nil, untilReached: Bool = false, at now: Instant
  ) {
    let toast = Toast(
      id: nextID, kind: kind, text: text, details: details, topic: topic,
      untilReached: untilReached, shownAt: now)
    nextID += 1
    current = toast
    if topic != nil, history.last?.topic == topic { history.removeLast() }
    history.append(toast)
    if history.count > Self.historyLimit { history.removeFirst() }
  }

  public mutating func dismiss() { current = nil }

  /// Takes away what said that the server was not reached.
  public mutating func serverReached() {
    if current?.untilReached == true { current = nil }
  }

  /// When the current toast leaves by itself.
  public var deadline: Instant? {
    guard let current, !current.staysUntilDismissed else { return nil }
    return current.shownAt.advanced(by: Self.lifetime)
  }

  public mutating func expire(at now: Instant) {
    if let deadline, now >= deadline { current = nil }
  }
}
