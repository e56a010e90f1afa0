/// Matches key presses against the sequences of key bindings, such as `g g`.
///
/// A value type driven by explicit timestamps, so that tests control the time.
public struct ChordMatcher: Sendable {
  public typealias Instant = ContinuousClock.Instant

  public enum Match: Equatable, Sendable {
    /// Actions whose sequence is complete, in table order.
    case actions([ActionID])
    /// The keys so far start at least one binding.
    case pending
    /// No binding starts with this chord; pass it on.
    case none
  }

  /// Delay before continuations of an incomplete sequence are shown.
  public static let continuationDelay: Duration = .milliseconds(300)

  public private(set) var pending: [KeyChord] = []
  private var since: Instant?

  public init() {}

  /// - Parameter candidates: The actions available now; others are ignored.
  public mutating func feed(_ chord: KeyChord, candidates: [Action], at now: Instant) -> Match {
    let typed = pending + [chord]
    let match = Self.match(typed, candidates)
    switch match {
    case .pending:
      pending = typed
      since = now
    case .actions:
      reset()
    case .none:
      let wasPending = !pending.isEmpty
      reset()
      // A key that breaks a sequence is matched on its own; Esc only cancels the sequence.
      if wasPending, chord.key != .escape { return feed(chord, candidates: candidates, at: now) }
      if wasPending { return .pending }
    }
    return match
  }

  public mutating func reset() {
    pending = []
    since = nil
  }

  /// When to show the continuations; nil without an incomplete sequence.
  public var continuationsDue: Instant? { since?.advanced(by: Self.continuationDelay) }

  /// Possible continuations of the keys typed so far; empty before `continuationDelay`.
  public func continuations(
    candidates: [Action], at now: Instant
  ) -> [(keys: KeySequence, action: Action)] {
    guard let due = continuationsDue, now >= due else { return [] }
    return candidates.flatMap { action in
      action.keys.filter { $0.chords.count > pending.count && $0.chords.starts(with: pending) }
        .map { (KeySequence(Array($0.chords.dropFirst(pending.count))), action) }
    }
  }

  private static func match(_ typed: [KeyChord], _ candidates: [Action]) -> Match {
    var complete: [ActionID] = []
    var isPrefix = false
    for action in candidates {
      for keys in action.keys where keys.chords.starts(with: typed) {
        if keys.chords.count == typed.count {
          complete.append(action.id)
        } else {
          isPrefix = true
        }
      }
    }
    if !complete.isEmpty { return .actions(complete) }
    return isPrefix ? .pending : .none
  }
}
