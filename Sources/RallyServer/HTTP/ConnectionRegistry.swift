import Dispatch
import Foundation
import NIOCore
import RallyRules
import RallyStorage
import RallyText
import Synchronization

/// The open connections: how many there are, and a way to end them all.
final class ConnectionRegistry: Sendable {
  /// For whom a connection counts.
  private struct Owner {
    /// nil for a proxy and a Unix socket.
    var address: ClientAddress?
    var person: String?
  }

  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var owners: [ObjectIdentifier: Owner] = [:]
    /// How many of them come from one place; none is kept that has none.
    var perAddress: [ClientAddress: Int] = [:]
    var perPerson: [String: Int] = [:]
    /// Grows with every connection, so that a waiting idle check is seen to be outdated.
    var arrivals = 0
  }

  private let state = Mutex(State())
  private let budgets: BudgetKeeper
  /// How many files the system lets this process open bounds it, too.
  private let room: Int
  private let proxies: TrustedProxies
  private let patience: Duration?
  private let onIdle: @Sendable () -> Void

  /// - Parameters:
  ///   - room: Connections that there can be at all.
  ///   - patience: How long nobody is connected before `onIdle`; nil for ever.
  ///   - onIdle: Called when nobody came for that long, after `watch` or the last connection.
  init(
    budgets: BudgetKeeper, room: Int = .max, proxies: TrustedProxies = .init([]),
    patience: Duration?,
    onIdle: @escaping @Sendable () -> Void
  ) {
    self.budgets = budgets
    self.room = room
    self.proxies = proxies
    self.patience = patience
    self.onIdle = onIdle
  }

  /// Counts a connection until it closes; false for one too many, which is to be closed.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let peer = ClientAddress(channel.remoteAddress)
    let address = proxies.contains(peer) ? nil : peer?.group
    let isWelcome = state.withLock { state in
      guard state.channels.count < room,
        budgets.allows(.connections, beside: state.channels.count)
      else { return false }
      if let address {
        let count = state.perAddress[address, default: 0]
        guard budgets.allows(.connectionsPerAddress, beside: count) else { return false }
        state.perAddress[address] = count + 1
      }
      state.channels[id] = channel
      state.owners[id] = Owner(address: address)
      state.arrivals += 1
      return true
    }
    guard isWelcome else { return false }
    channel.closeFuture.whenComplete { [self] _ in
      let arrivals: Int? = state.withLock { state in
        state.channels[id] = nil
        let owner = state.owners.removeValue(forKey: id)
        state.perAddress.countDown(owner?.address)
        state.perPerson.countDown(owner?.person)
        return state.channels.isEmpty ? state.arrivals : nil
      }
      if let arrivals { waitForSomebody(after: arrivals) }
    }
    return true
  }

  /// Counts a connection for the SSH door whose guest it is, and no longer for its host's address.
  /// Beyond the door's budget it stays where it is.
  func enterDoor(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    state.withLock { state in
      guard let address = state.owners[id]?.address, address != .door else { return }
      let count = state.perAddress[.door, default: 0]
      guard budgets.allows(.connectionsPerDoor, beside: count) else { return }
      state.perAddress.countDown(address)
      state.perAddress[.door] = count + 1
      state.owners[id]?.address = .door
    }
  }

  /// Whether it counts for a door.
  func isDoor(_ channel: any Channel) -> Bool {
    state.withLock { $0.owners[ObjectIdentifier(channel)]?.address == .door }
  }

  /// Counts a connection for the person of its last request; false for one too many. Proxies have
  /// connections of many.
  func identify(_ channel: any Channel, as person: String) -> Bool {
    let id = ObjectIdentifier(channel)
    return state.withLock { state in
      guard let owner = state.owners[id], owner.address != nil, owner.person != person else {
        return true
      }
      let count = state.perPerson[person, default: 0]
      guard budgets.allows(.connectionsPerPerson, beside: count) else { return false }
      state.perPerson.countDown(owner.person)
      state.perPerson[person] = count + 1
      state.owners[id]?.person = person
      return true
    }
  }

  /// Waits for the first connection.
  func watch() { waitForSomebody(after: 0) }

  private func waitForSomebody(after arrivals: Int) {
    guard let patience else { return }
    DispatchQueue.timers.asyncAfter(deadline: .now() + patience.inSeconds) { [weak self] in
      guard let self, isStillIdle(since: arrivals) else { return }
      onIdle()
    }
  }

  /// Whether nobody is connected and nobody was since `arrivals` connections had come.
  private func isStillIdle(since arrivals: Int) -> Bool {
    state.withLock { $0.channels.isEmpty && $0.arrivals == arrivals }
  }

  var count: Int { state.withLock { $0.channels.count } }

  /// Has every connection finish what it does and close, and waits for that.
  func drain() async {
    let channels = state.withLock { Array($0.channels.values) }
    for channel in channels {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
    for channel in channels { try? await channel.closeFuture.get() }
  }

  func closeAll() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }
}

extension Dictionary where Value == Int {
  /// One less; nothing is kept of what is gone.
  fileprivate mutating func countDown(_ key: Key?) {
    guard let key, let count = self[key] else { return }
    self[key] = count > 1 ? count - 1 : nil
  }
}

/// How many files and sockets the system lets this process have open.
enum OpenFiles {
  /// For the database, the listeners and what the runtime opens.
  static let ownUse = 100

  /// Asks for as many as are allowed, up to `wanted`, beside those for the server's own use.
  ///
  /// - Returns: How many connections there can be.
  static func room(for wanted: Int) -> Int {
    var limit = rlimit()
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(files, &limit) == 0 else { return wanted }
    let needed = rlim_t(wanted + ownUse)
    if limit.rlim_cur < needed {
      limit.rlim_cur = min(needed, limit.rlim_max)
      setrlimit(files, &limit)
      getrlimit(files, &limit)
    }
    return limit.rlim_cur >= needed ? wanted : max(1, Int(limit.rlim_cur) - ownUse)
  }
}

/// The proxies whose `X-Forwarded-For` header is trusted.
struct TrustedProxies: Sendable {
  private let addresses: Set<ClientAddress>

  /// - Parameter addresses: IPv4 or IPv6 literals; others are ignored.
  init(_ addresses: [String]) { self.addresses = Set(addresses.compactMap { ClientAddress($0) }) }

  func contains(_ address: ClientAddress?) -> Bool { address.map(addresses.contains) ?? false }

  /// The client's address: the peer, or, behind a trusted proxy, the last address in
  /// `X-Forwarded-For` that is no trusted proxy. Clients can forge the addresses before it.
  func client(peer: ClientAddress?, forwardedFor header: String?) -> ClientAddress? {
    guard contains(peer), let header else { return peer }
    for part in header.split(separator: ",").reversed() {
      guard let address = TrustedProxies.address(part) else { return peer }
      if !contains(address) { return address }
    }
    return peer
  }

  /// Accepts brackets and a port, as some proxies write them.
  private static func address(_ part: Substring) -> ClientAddress? {
    let text = part.filter { $0 != " " && $0 != "\t" }
    if let address = ClientAddress(text) { return address }
    if text.hasPrefix("[") { return ClientAddress(text.dropFirst().prefix { $0 != "]" }) }
    return ClientAddress(text.prefix { $0 != ":" })
  }
}
