import RallyWire
import Synchronization

/// What several people asked for about friendships at the same time and what each was answered: the
/// input of a linearizability check.
///
/// A history is linearizable if every call can be given one moment between its begin and its end so
/// that the calls, one after the other at these moments, get the answers that they got (Herlihy and
/// Wing, 1990). The friendships of two pairs do not depend on each other, so each pair is checked
/// alone, by the search of Wing and Gong (1993) over all states that the answers so far allow.
public final class FriendHistory: Sendable {
  public enum Operation: Hashable, Sendable {
    case change(FriendModel.Call)
    /// Asks how one person stands to another one.
    case status(by: Int, about: Int)
  }

  /// A call with its answer: nil for a change that succeeded.
  private struct Entry: Sendable {
    var operation: Operation
    var begin: Int
    /// nil for what may have had an effect at any time since its begin, or none.
    var end: Int?
    var answer: String?
  }

  private struct State {
    var time = 0
    var losses: [Int] = []
    var entries: [Entry] = []

    mutating func tick() -> Int {
      time += 1
      return time
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// A moment of its own, for a call that is about to begin.
  public func begin() -> Int { state.withLock { $0.tick() } }

  /// Notes a call that has just been answered.
  public func end(_ operation: Operation, since begin: Int, answer: String?) {
    state.withLock { state in
      let end = state.tick()
      state.entries.append(
        Entry(operation: operation, begin: begin, end: end, answer: answer))
      // What the lost server had begun may be committed though the repeated call was refused.
      guard case .change = operation, answer != nil,
        state.losses.contains(where: { (begin..<end).contains($0) })
      else { return }
      state.entries.append(Entry(operation: operation, begin: begin, end: nil, answer: nil))
    }
  }

  /// Notes that a server has ended without an answer to the calls that it had begun.
  public func lose() {
    state.withLock { state in
      let time = state.tick()
      state.losses.append(time)
    }
  }

  /// The pairs whose calls no order explains, each with its calls in the order of their ends; empty
  /// for a linearizable history.
  public var contradictions: [FriendModel.Pair: String] {
    let pairs = Dictionary(grouping: state.withLock { $0.entries }, by: \.operation.pair)
    return pairs.filter { !Self.isLinearizable($0.value) }.mapValues { entries in
      entries.map { "\($0.begin)-\($0.end ?? 0) \($0.operation): \($0.answer ?? "done")" }
        .joined(separator: "\n")
    }
  }

  // MARK: - The search

  /// What may be true at a moment: how things stand, and which of the calls that are under way have
  /// had their effect.
  private struct Possibility: Hashable {
    var model = FriendModel()
    var done: Set<Int> = []
  }

  private static func isLinearizable(_ entries: [Entry]) -> Bool {
    let marks = entries.indices.flatMap { index in
      [(time: entries[index].begin, index: index, isEnd: false)]
        + (entries[index].end.map { [(time: $0, index: index, isEnd: true)] } ?? [])
    }.sorted { $0.time < $1.time }
    var pending: Set<Int> = []
    var possibilities: Set = [Possibility()]
    for mark in marks {
      guard mark.isEnd else {
        pending.insert(mark.index)
        continue
      }
      possibilities = Set(
        reachable(from: possibilities, by: pending, of: entries).compactMap { possibility in
          var possibility = possibility
          guard possibility.done.remove(mark.index) != nil else { return nil }
          return possibility
        })
      if possibilities.isEmpty { return false }
      pending.remove(mark.index)
    }
    return true
  }

  /// What can be true after any calls that are under way have had their effect in any order.
  private static func reachable(
    from possibilities: Set<Possibility>, by pending: Set<Int>, of entries: [Entry]
  ) -> Set<Possibility> {
    var found = possibilities
    var open = Array(possibilities)
    while let possibility = open.popLast() {
      for index in pending where !possibility.done.contains(index) {
        var next = possibility
        guard next.model.answer(entries[index].operation) == entries[index].answer else { continue }
        next.done.insert(index)
        if found.insert(next).inserted { open.append(next) }
      }
    }
    return found
  }
}

extension FriendHistory.Operation {
  fileprivate var pair: FriendModel.Pair {
    switch self {
    case .change(let call): FriendModel.Pair(call.by, call.about)
    case .status(let me, let other): FriendModel.Pair(me, other)
    }
  }
}

extension FriendModel {
  fileprivate mutating func answer(_ operation: FriendHistory.Operation) -> String? {
    switch operation {
    case .change(let call): perform(call)
    case .status(let me, let other): status(of: other, for: me)
    }
  }
}
