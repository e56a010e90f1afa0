/// Turns single keys into sequences of the table: `g` waits, `g g` is one.
///
/// A value that takes the time, so tests move the clock by hand.
public struct ChordMatcher: Sendable {
  public typealias Instant = ContinuousClock.Instant

  public enum Match: Equatable, Sendable {
    /// The actions whose sequence this key completed, in table order.
    case actions([ActionID])
    /// The beginning of at least one sequence.
    case pending
    /// No sequence begins like this; the key is whoever's wants it.
    case none
  }

  /// Time after which the continuations of a half-typed sequence are shown.
  public static let continuationDelay: Duration = .milliseconds(300)

  public private(set) var pending: [KeyChord] = []
  private var since: Instant?

  public init() {}

  /// - Parameter candidates: The actions that may be reached now; others neither match nor wait.
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
      // A key that ends a sequence nowhere is a key of its own, but Esc only leaves the sequence.
      if wasPending, chord.key != .escape { return feed(chord, candidates: candidates, at: now) }
      if wasPending { return .pending }
    }
    return match
  }

  public mutating func reset() {
    pending = []
    since = nil
  }

  /// When the continuations are due, for whoever sets a timer.
  public var continuationsDue: Instant? { since?.advanced(by: Self.continuationDelay) }

  /// What can follow the keys typed so far; empty before 300 ms have passed.
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
