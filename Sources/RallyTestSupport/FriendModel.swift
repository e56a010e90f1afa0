import Foundation
import RallyWire
import Synchronization

/// The rules of friendship in their shortest form, without a database: what every function answers
/// and leaves behind when nobody else is there.
public struct FriendModel: Hashable, Sendable {
  public enum Act: String, Hashable, Sendable, CaseIterable {
    case ask, accept, decline, cancel, remove, block, unblock
    /// Deletes the own account.
    case vanish
  }

  /// What one person does about another one.
  public struct Call: Hashable, Sendable {
    public var act: Act
    public var by: Int
    public var about: Int

    public init(act: Act, by: Int, about: Int) {
      (self.act, self.by, self.about) = (act, by, about)
    }
  }

  public struct Pair: Hashable, Sendable {
    public var smaller: Int
    public var larger: Int

    public init(_ a: Int, _ b: Int) { (smaller, larger) = (min(a, b), max(a, b)) }
  }

  public enum Bond: Hashable, Sendable {
    case asked(by: Int)
    case friends
  }

  public var bonds: [Pair: Bond] = [:]
  /// Who has no account any more.
  public var gone: Set<Int> = []
  /// Who blocked whom.
  public var blocks: Set<[Int]> = []

  public init() {}

  /// - Returns: The machine word of a refusal; nil when the call succeeds.
  public mutating func perform(_ call: Call) -> String? {
    let (me, other) = (call.by, call.about)
    if call.act == .vanish {
      vanish(me)
      return nil
    }
    if gone.contains(me) { return "PGRST301" }
    let pair = Pair(me, other)
    let isBlocking = blocks.contains([me, other])
    switch call.act {
    case .ask where isBlocking: return "blocked_by_you"
    case .block where isBlocking: return nil
    case .unblock where isBlocking:
      blocks.remove([me, other])
      return nil
    default: break
    }
    if gone.contains(other) || blocks.contains([other, me]) { return "not_found" }
    switch (call.act, bonds[pair]) {
    case (.ask, nil): bonds[pair] = .asked(by: me)
    case (.ask, .asked(by: other)), (.accept, .asked(by: other)): bonds[pair] = .friends
    case (.ask, _), (.accept, .friends), (.unblock, _): break
    case (.decline, .asked(by: other)), (.cancel, .asked(by: me)), (.remove, .friends):
      bonds[pair] = nil
    case (.remove, _): return "not_friends"
    case (.block, _):
      bonds[pair] = nil
      blocks.insert([me, other])
    case (.accept, _), (.decline, _), (.cancel, _): return "request_gone"
    case (.vanish, _): break
    }
    return nil
  }

  private mutating func vanish(_ person: Int) {
    gone.insert(person)
    bonds = bonds.filter { $0.key.smaller != person && $0.key.larger != person }
    blocks = blocks.filter { !$0.contains(person) }
  }

  /// How a person stands to another one in the words of the wire, or a refusal.
  public func status(of other: Int, for me: Int) -> String {
    if blocks.contains([me, other]) { return "blocked" }
    if gone.contains(other) || blocks.contains([other, me]) { return "not_found" }
    return switch bonds[Pair(me, other)] {
    case nil: "none"
    case .friends: "friends"
    case .asked(let asker): asker == me ? "outgoing" : "incoming"
    }
  }

  /// Whether some order of the calls gives these answers and leaves `end` behind.
  ///
  /// - Parameter calls: At most seven, with the refusal that each was answered with.
  public func explains(_ calls: [(call: Call, answer: String?)], end: FriendModel) -> Bool {
    if calls.isEmpty { return self == end }
    return calls.indices.contains { index in
      var next = self
      guard next.perform(calls[index].call) == calls[index].answer else { return false }
      var rest = calls
      rest.remove(at: index)
      return next.explains(rest, end: end)
    }
  }
}

/// What several people asked for about friendships at the same time and what each was answered: the
/// input of a linearizability check.
///
/// In a linearizable history every call has one moment between its begin and its end. The calls,
/// one after the other at these moments, get the answers that they got (Herlihy and Wing, 1990).
/// The friendships of two pairs do not depend on each other, so each pair is checked alone. The
/// search is that of Wing and Gong (1993), over all states that the answers so far allow.
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
