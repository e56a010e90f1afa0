import Foundation
import RallyWire

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
