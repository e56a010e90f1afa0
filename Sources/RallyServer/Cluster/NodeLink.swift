import Foundation
import RallyRules
import RallyStorage
import RallyWire

/// The sockets of a server, as far as other servers get them.
protocol NodeSockets: Actor {
  func takeNews() -> SharedNews
  func putBack(_ news: SharedNews)
  /// Everything that channels here track.
  func sharedPresence(of node: String) -> [SharedPresence]
  /// Takes all that other servers have published at this moment; what else was known of them is
  /// over.
  func replaceOthers(with entries: [SharedPresence])
}

/// Publishes to the other servers on a PostgreSQL database what this server's sockets do.
///
/// A server with channels holds a lease in `nodes`, which it renews every two seconds. Whoever
/// renews sweeps the servers whose lease has ended: a server that died is gone after eight seconds
/// at most. A server without channels holds no lease and needs no timer.
package actor NodeLink {
  private static let renewal = Duration.seconds(2)

  nonisolated let id = UUID().wireText
  private let storage: Storage
  private let lease: Duration
  /// Reads the keys in the database.
  private let readKeys: @Sendable () async -> Void
  private let wake: @Sendable () -> Void
  /// When the lease was asked for, so that the database's ends no earlier than counted from here; nil
  /// without a lease.
  private var renewedAt: ContinuousClock.Instant?
  private var sweptAt = ContinuousClock.now
  private var alarm: DispatchWorkItem?

  /// - Parameters:
  ///   - readKeys: Called when the keys in the database may be others.
  ///   - wake: Asks for another call of `share`.
  init(
    storage: Storage, lease: Duration = .seconds(6),
    readKeys: @escaping @Sendable () async -> Void = {}, wake: @escaping @Sendable () -> Void
  ) {
    self.storage = storage
    self.lease = lease
    self.readKeys = readKeys
    self.wake = wake
  }

  func takeKeys() async { await readKeys() }

  /// Takes a lease unless there is one that cannot have ended. A channel whose join was answered
  /// receives what is broadcast afterwards, so the others have to send to this server by then.
  ///
  /// - Throws: `StorageFailure`.
  func hold(for hub: some NodeSockets) async throws {
    if let renewedAt, renewedAt.duration(to: .now) < lease { return }
    try await register(hub, with: SharedNews(), wasSwept: renewedAt != nil)
  }

  /// Writes what is new in the hub, and renews the lease if that is due.
  ///
  /// - Throws: `StorageFailure`; then the next call writes it.
  func share(from hub: some NodeSockets) async throws {
    let news = await hub.takeNews()
    do {
      if news.isOccupied {
        try await renew(with: news, hub)
      } else {
        try await leave(with: news)
      }
    } catch {
      await hub.putBack(news)
      throw error
    }
  }

  private func renew(with news: SharedNews, _ hub: some NodeSockets) async throws {
    let isDue = renewedAt.map { $0.duration(to: .now) >= NodeLink.renewal } ?? true
    guard isDue || !news.isEmpty else { return }
    if renewedAt == nil {
      try await register(hub, with: news, wasSwept: false)
    } else {
      let start = ContinuousClock.now
      let renew: Storage.Work<Bool> = { [id, lease] database in
        guard try NodeRecords.renew(id, for: lease, in: database) else { return false }
        try NodeLink.write(news, of: id, to: database)
        return true
      }
      // A lease alone is news for nobody.
      let isHeld =
        try await news.isEmpty ? storage.count(renew) : storage.write(renew)
      if isHeld { didRenew(at: start) } else { try await register(hub, with: news, wasSwept: true) }
    }
    guard sweptAt.duration(to: .now) >= NodeLink.renewal else { return }
    try await sweep()
    sweptAt = .now
  }

  /// Publishes everything: for the first time, or again after the lease has ended.
  private func register(
    _ hub: some NodeSockets, with news: SharedNews, wasSwept: Bool
  ) async throws {
    let present = await hub.sharedPresence(of: id)
    let start = ContinuousClock.now
    let known = try await storage.write { [id, lease] database in
      _ = try PresenceRecords.deleteAll(of: id, in: database)
      try NodeRecords.register(id, for: lease, in: database)
      for entry in present { try PresenceRecords.save(entry, in: database) }
      try RelayLog.appendPresence(of: id, at: .now, to: database)
      for broadcast in news.broadcasts {
        try RelayLog.append(broadcast, of: id, at: .now, to: database)
      }
      return wasSwept ? try PresenceRecords.all(except: id, from: database) : nil
    }
    didRenew(at: start)
    // What was relayed meanwhile may have been trimmed.
    if let known { await hub.replaceOthers(with: known) }
  }

  private func didRenew(at start: ContinuousClock.Instant) {
    renewedAt = start
    setAlarm()
  }

  private func leave(with news: SharedNews) async throws {
    alarm?.cancel()
    alarm = nil
    let isHeld = renewedAt != nil
    guard isHeld || !news.broadcasts.isEmpty else { return }
    try await storage.write { [id] database in
      try NodeLink.write(news, of: id, to: database)
      if isHeld { _ = try NodeRecords.remove(id, at: .now, in: database) }
    }
    renewedAt = nil
  }

  private static func write(_ news: SharedNews, of id: String, to database: Database) throws {
    let time = WireTime.now
    for (_, change) in news.presence.sorted(by: { $0.key < $1.key }) {
      if let entry = change.entry {
        try PresenceRecords.save(entry, in: database)
      } else {
        try PresenceRecords.delete(change.channel, in: database)
      }
      try RelayLog.append(change, at: time, to: database)
    }
    for broadcast in news.broadcasts {
      try RelayLog.append(broadcast, of: id, at: time, to: database)
    }
  }

  /// Removes the servers whose lease has ended; their people were last seen now.
  private func sweep() async throws {
    guard try await !storage.read({ try NodeRecords.ended(in: $0) }).isEmpty else { return }
    try await storage.write { database in
      let time = WireTime.now
      for node in try NodeRecords.ended(in: database) {
        for person in try NodeRecords.remove(node, at: time, in: database) {
          try ProfileRecords.setLastSeen(time, of: person, in: database)
        }
      }
    }
  }

  private func setAlarm() {
    alarm?.cancel()
    let item = DispatchWorkItem { [wake] in wake() }
    let delay = Int(NodeLink.renewal / .milliseconds(1))
    DispatchQueue.timers.asyncAfter(deadline: .now() + .milliseconds(delay), execute: item)
    alarm = item
  }
}

/// The table `nodes`: the servers on this database, each as long as it renews its lease.
///
/// Leases are counted by the database's clock, which is the same for all of them. PostgreSQL only.
enum NodeRecords {
  static func register(_ id: String, for lease: Duration, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO nodes (id, lease_until) VALUES (?, \(PostgresClock.now) + CAST(? AS BIGINT))
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
        """, arguments: [id, Int64(lease / .microseconds(1))])
  }

  /// - Returns: False if the lease has ended and others swept this server.
  static func renew(_ id: String, for lease: Duration, in database: Database) throws -> Bool {
    try String.fetchOne(
      database,
      sql: """
        UPDATE nodes SET lease_until = \(PostgresClock.now) + CAST(? AS BIGINT) WHERE id = ? RETURNING id
        """, arguments: [Int64(lease / .microseconds(1)), id]) != nil
  }

  /// Whether a server beside this one holds a lease.
  static func hasOthers(than id: String, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM nodes WHERE id <> ?)", arguments: [id]) ?? false
  }

  /// No lease is longer; one that ends later was taken before the database's clock was put back.
  private static let longestLease = Duration.seconds(60)

  /// The servers whose lease has ended.
  static func ended(in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT id FROM nodes
        WHERE lease_until < \(PostgresClock.now) OR lease_until > \(PostgresClock.now) + CAST(? AS BIGINT)
        """, arguments: [Int64(longestLease / .microseconds(1))])
  }

  /// Removes a server with everybody who is there through it.
  ///
  /// - Returns: The people who are nowhere else online.
  static func remove(_ id: String, at time: WireTime, in database: Database) throws -> Set<String> {
    try RelayLog.appendPresence(of: id, at: time, to: database)
    let people = try PresenceRecords.deleteAll(of: id, in: database)
    try database.execute(sql: "DELETE FROM nodes WHERE id = ?", arguments: [id])
    return people
  }
}
