import Foundation
import RallyStorage
import RallyWire

/// A sharing setting: the precision, and its end.
package struct Sharing: Hashable, Sendable {
  var mode: SharingMode
  /// When it ends; nil for never.
  package var until: WireTime?

  /// Without a setting nothing is shared.
  static let unset = Sharing(mode: .off, until: nil)

  func holds(at time: WireTime) -> Bool { until.map { time < $0 } ?? true }
}

/// Everything that one person decided about their position.
package struct SharingDecisions: Sendable {
  package let owner: String
  /// By friend, the default under the owner; decisions that ended may be among them.
  fileprivate(set) var decisions: [String: Sharing] = [:]
  /// The friends whose share ended and was removed, with nothing decided since; the owner for the
  /// default.
  fileprivate(set) var ended: Set<String> = []
  /// Whether nobody sees the owner, whatever was decided.
  fileprivate(set) var isGhost = false

  /// - Parameter friend: nil for a friend without a decision of their own.
  func permission(for friend: String?, at time: WireTime) -> SharingPermission {
    SharingPermission(
      own: friend.flatMap { decisions[$0] }, default: decisions[owner],
      hasEnded: friend.map(ended.contains) ?? false || ended.contains(owner), isGhost: isGhost,
      at: time)
  }
}

/// What an owner's decisions allow one friend at one moment.
struct SharingPermission: Hashable, Sendable {
  /// The decision that applies; `.unset` if none does.
  let sharing: Sharing
  /// Whether the default decides.
  let isDefault: Bool
  /// Why the friend sees nothing; nil while `sharing` allows something.
  private let withheld: WithheldReason?

  /// How precisely the friend may see the owner, never `off`; or why not at all.
  var allowed: Result<SharingMode, WithheldReason> {
    if let withheld { return .failure(withheld) }
    return .success(sharing.mode)
  }

  /// The friend's own decision while it lasts, or else the default while it lasts.
  ///
  /// - Parameters:
  ///   - hasEnded: Whether a share with this friend, or by default, has ended and was removed.
  ///   - isGhost: Whether nobody sees the owner, whatever is shared.
  ///   - time: Shares that end at or before this time count no more, even before they are removed.
  init(own: Sharing?, default: Sharing?, hasEnded: Bool, isGhost: Bool, at time: WireTime) {
    let applying = [own, `default`].firstIndex { $0?.holds(at: time) == true }
    sharing = (applying == 0 ? own : applying == 1 ? `default` : nil) ?? .unset
    isDefault = applying != 0
    let isExpired =
      hasEnded
      || [own, `default`].contains { $0.map { $0.mode > .off && !$0.holds(at: time) } ?? false }
    withheld =
      isGhost
      ? .ghost : sharing.mode > .off ? nil : applying == 0 ? .off : isExpired ? .expired : .off
  }
}

/// The tables `location_sharing`, `ended_shares` and `ghosts`. The row whose friend is the owner is the
/// owner's default. `ended_shares` only explains: nothing is shown or hidden by it.
package enum SharingRecords {
  package static func all(of owner: String, in database: Database) throws -> SharingDecisions {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT friend, mode, until, 0 AS is_ghost FROM location_sharing WHERE owner = :owner
        UNION ALL
        SELECT friend, NULL, NULL, 0 FROM ended_shares WHERE owner = :owner
        UNION ALL
        SELECT user_id, NULL, NULL, 1 FROM ghosts WHERE user_id = :owner
        """, arguments: ["owner": owner])
    return try rows.reduce(into: SharingDecisions(owner: owner)) { result, row in
      let friend: String = try row["friend"]
      let isGhost: Bool = try row["is_ghost"]
      if isGhost {
        result.isGhost = true
      } else if let mode: SharingMode = try row["mode"] {
        result.decisions[friend] = Sharing(mode: mode, until: try row["until"])
      } else {
        result.ended.insert(friend)
      }
    }
  }

  /// A setting; nil if there is none. It may have expired.
  package static func find(_ key: SharingKey, in database: Database) throws -> Sharing? {
    try Row.fetchOne(
      database, sql: "SELECT mode, until FROM location_sharing WHERE owner = ? AND friend = ?",
      arguments: [key.owner, key.friend]
    ).map { Sharing(mode: try $0["mode"], until: try $0["until"]) }
  }

  /// - Parameters:
  ///   - friend: The owner for the default.
  ///   - time: When it was set, for the feed.
  package static func set(
    _ sharing: Sharing, of owner: String, for friend: String, at time: WireTime,
    in database: Database
  ) throws {
    let key = SharingKey(owner: owner, friend: friend)
    let isKnown = try find(key, in: database) != nil
    try ChangeLog.append(
      isKnown ? .update : .insert, in: .locationSharing, key: key.text, at: time, to: database)
    try database.execute(
      sql: """
        INSERT INTO location_sharing (owner, friend, mode, until) VALUES (?, ?, ?, ?)
        ON CONFLICT (owner, friend) DO UPDATE SET mode = excluded.mode, until = excluded.until
        """,
      arguments: [owner, friend, sharing.mode.rawValue, sharing.until?.microseconds])
    try database.execute(
      sql: "DELETE FROM ended_shares WHERE owner = ? AND friend = ?", arguments: [owner, friend])
  }

  /// Turns all off that a person shares; decisions with an end keep it, so that the default holds
  /// again afterwards.
  static func turnOff(_ owner: String, at time: WireTime, in database: Database) throws {
    let decisions = try all(of: owner, in: database).decisions.sorted { $0.key < $1.key }
    for (friend, sharing) in decisions where sharing.mode > .off {
      try set(
        Sharing(mode: .off, until: friend == owner ? nil : sharing.until), of: owner, for: friend,
        at: time, in: database)
    }
  }

  /// Tells the owner's clients, and nobody else, that something changed which is fetched with the
  /// settings: an event of the default as it is.
  static func announce(to owner: String, at time: WireTime, in database: Database) throws {
    let key = SharingKey(owner: owner, friend: owner)
    guard try find(key, in: database) != nil else {
      return try noteDeletion(of: key, at: time, in: database)
    }
    try ChangeLog.append(.update, in: .locationSharing, key: key.text, at: time, to: database)
  }

  /// Deletes the settings of two users for each other.
  static func forget(_ a: String, _ b: String, at time: WireTime, in database: Database) throws {
    for key in [SharingKey(owner: a, friend: b), SharingKey(owner: b, friend: a)]
    where try find(key, in: database) != nil {
      try noteDeletion(of: key, at: time, in: database)
    }
    for table in ["location_sharing", "ended_shares"] {
      try database.execute(
        sql: """
          DELETE FROM \(table)
          WHERE (owner = :a AND friend = :b) OR (owner = :b AND friend = :a)
          """, arguments: ["a": a, "b": b])
    }
  }

  // MARK: - Ends

  /// When the next setting expires; nil if none does.
  package static func earliestEnd(in database: Database) throws -> WireTime? {
    try WireTime.fetchOne(
      database, sql: "SELECT min(until) FROM location_sharing WHERE until IS NOT NULL")
  }

  /// Deletes expired settings, and records those that shared something.
  ///
  /// - Returns: Their owners, in order.
  static func removeEnded(at time: WireTime, in database: Database) throws -> [String] {
    let keys = try Row.fetchAll(
      database,
      sql: """
        SELECT owner, friend FROM location_sharing WHERE until <= ? ORDER BY owner, friend
        """, arguments: [time.microseconds]
    ).map { SharingKey(owner: try $0["owner"], friend: try $0["friend"]) }
    for key in keys { try noteDeletion(of: key, at: time, in: database) }
    try database.execute(
      sql: """
        INSERT INTO ended_shares (owner, friend)
        SELECT owner, friend FROM location_sharing WHERE until <= ? AND mode <> ?
        ON CONFLICT (owner, friend) DO NOTHING
        """, arguments: [time.microseconds, SharingMode.off.rawValue])
    try database.execute(
      sql: "DELETE FROM location_sharing WHERE until <= ?", arguments: [time.microseconds])
    return Set(keys.map(\.owner)).sorted()
  }

  private static func noteDeletion(
    of key: SharingKey, at time: WireTime, in database: Database
  ) throws {
    try ChangeLog.append(
      .delete, in: .locationSharing, key: key.text, audience: [key.owner], at: time, to: database)
  }
}

/// The key of a change of `location_sharing`: the owner and the friend.
package struct SharingKey: Hashable, Sendable {
  package let owner: String
  /// The owner's id for the default.
  package let friend: String

  var text: String { "\(owner)/\(friend)" }
}

extension SharingKey {
  package init?(_ text: String) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(owner: parts[0], friend: parts[1])
  }
}

/// The table `ghosts`: the people whom nobody sees, whatever they share. `SharingRecords` reads it with
/// what they decided, so that no gate can forget it.
enum GhostRecords {
  static func contains(_ person: String, in database: Database) throws -> Bool {
    try String.fetchOne(
      database, sql: "SELECT user_id FROM ghosts WHERE user_id = ?", arguments: [person]) != nil
  }

  package static func set(_ isGhost: Bool, _ person: String, in database: Database) throws {
    try database.execute(
      sql: isGhost
        ? "INSERT INTO ghosts (user_id) VALUES (?) ON CONFLICT (user_id) DO NOTHING"
        : "DELETE FROM ghosts WHERE user_id = ?",
      arguments: [person])
  }
}

/// The table `privacy_rules`. Only its owner reads it, by `fetch_privacy_rules`; no table under
/// `/rest/v1` and no event has any of it.
package enum PrivacyRuleRecords {
  /// - Throws: `StorageFailure` also for a document that cannot be read: no position may be stored
  ///   as if there were no rules.
  package static func find(_ owner: String, in database: Database) throws -> PrivacyRules? {
    guard
      let text = try String.fetchOne(
        database, sql: "SELECT rules FROM privacy_rules WHERE user_id = ?", arguments: [owner])
    else { return nil }
    do {
      return try WireJSON.decode(PrivacyRules.self, from: Data(text.utf8))
    } catch {
      throw StorageFailure.damaged("not privacy rules")
    }
  }

  /// - Parameter rules: nil deletes the row.
  package static func set(_ rules: PrivacyRules?, of owner: String, in database: Database) throws {
    guard let rules else {
      return try database.execute(
        sql: "DELETE FROM privacy_rules WHERE user_id = ?", arguments: [owner])
    }
    try database.execute(
      sql: """
        INSERT INTO privacy_rules (user_id, rules) VALUES (?, ?)
        ON CONFLICT (user_id) DO UPDATE SET rules = excluded.rules
        """, arguments: [owner, try WireJSON.text(rules)])
  }
}
