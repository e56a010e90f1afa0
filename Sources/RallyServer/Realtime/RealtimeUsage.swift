import RallyRules
import RallyText

/// What of the realtime budgets is in use, and by whom.
struct RealtimeUsage {
  /// What one channel occupies.
  enum Charge {
    /// Entries without an account behind them, which are kept as text.
    case inert(bytes: Int)
    /// A slot among a person’s sockets, and a number of their entries.
    case person(String, bindings: Int)
  }

  private struct Person {
    /// How many channels of theirs each socket has.
    var channels: [Int: Int] = [:]
    var bindings = 0
  }

  private var charges: [ChannelID: Charge] = [:]
  private var people: [String: Person] = [:]
  private var inertBytes: [Int: Int] = [:]
  private var bindings = 0

  /// Charges for a channel, in the place of what it was charged before.
  ///
  /// - Throws: Which budget has no room for it; then the channel is charged nothing.
  mutating func charge(
    _ channel: ChannelID, _ charge: Charge, within budgets: BudgetKeeper
  ) throws(RealtimeRefusal) {
    release(channel)
    switch charge {
    case .inert(let bytes):
      let sum = inertBytes[channel.socket, default: 0] + bytes
      guard budgets.allows(.inertBindingBytesPerSocket, of: sum) else {
        throw .tooManyInertBindings
      }
      if sum > 0 { inertBytes[channel.socket] = sum }
    case .person(let id, let count):
      var person = people[id] ?? Person()
      guard
        person.channels[channel.socket] != nil
          || budgets.allows(.socketsPerPerson, beside: person.channels.count)
      else { throw .tooManySockets }
      guard budgets.allows(.bindingsPerPerson, of: person.bindings + count),
        budgets.allows(.bindings, of: bindings + count)
      else { throw .tooManyBindingsOfPerson }
      person.channels[channel.socket, default: 0] += 1
      person.bindings += count
      people[id] = person
      bindings += count
    }
    charges[channel] = charge
  }

  mutating func release(_ channel: ChannelID) {
    switch charges.removeValue(forKey: channel) {
    case .inert(let bytes)?:
      let left = inertBytes[channel.socket, default: 0] - bytes
      inertBytes[channel.socket] = left > 0 ? left : nil
    case .person(let id, let count)?:
      guard var person = people[id] else { return }
      let left = person.channels[channel.socket, default: 0] - 1
      person.channels[channel.socket] = left > 0 ? left : nil
      person.bindings -= count
      people[id] = person.channels.isEmpty ? nil : person
      bindings -= count
    case nil: break
    }
  }

  /// Whether nothing is charged to anybody.
  var isEmpty: Bool { charges.isEmpty && people.isEmpty && inertBytes.isEmpty && bindings == 0 }
}

/// A token bucket.
struct Pace: Sendable {
  private let perSecond: Double
  private let most: Double
  private var left: Double
  private var filledAt: ContinuousClock.Instant

  /// - Parameters:
  ///   - perSecond: Tokens added per second.
  ///   - burst: Initial and maximum number of tokens; nil for `perSecond`.
  init(_ perSecond: Double, burst: Int? = nil, at now: ContinuousClock.Instant = .now) {
    self.perSecond = perSecond
    most = burst.map(Double.init) ?? max(1, perSecond)
    left = most
    filledAt = now
  }

  /// Takes `count` tokens; false, taking none, if there are fewer.
  mutating func take(_ count: Int = 1, at now: ContinuousClock.Instant = .now) -> Bool {
    left = min(most, left + max(0, (now - filledAt).inSeconds) * perSecond)
    filledAt = now
    guard left >= Double(count) else { return false }
    left -= Double(count)
    return true
  }
}
