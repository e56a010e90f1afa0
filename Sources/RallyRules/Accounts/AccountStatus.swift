import Foundation
import RallyStorage
import RallyWire

/// Disables and enables accounts, in the caller's transaction.
///
/// A disabled user cannot sign in, and every call returns the reason. Friendships and missions
/// stay. The position is deleted, since the user could no longer hide it, open invitations are
/// revoked, and links to watch end.
package enum AccountStatus {
  package static func disable(_ user: UserRecord, at time: WireTime, in database: Database) throws {
    var user = user
    user.isBanned = true
    user.updatedAt = time
    try UserRecords.update(user, in: database)
    let id = user.id.wireText
    // Sessions stay, so that requests are refused with the reason; realtime channels are closed.
    for session in try SessionRecords.ids(ofUser: id, in: database) {
      try ChangeLog.append(
        .update, in: .sessions, key: session, audience: [id], at: time, to: database)
    }
    try OnMyWayRules.end(OnMyWayRecords.all(of: id, in: database), at: time, in: database)
    try LocationReconciler.withdraw(id, at: time, in: database)
    try InvitationRecords.revokeAll(by: id, in: database)
    try WatchLinkRecords.end(of: id, at: time, in: database)
  }

  package static func enable(_ user: UserRecord, at time: WireTime, in database: Database) throws {
    var user = user
    user.isBanned = false
    user.updatedAt = time
    try UserRecords.update(user, in: database)
  }

  /// Sets a new password, ends every session, revokes every phone and removes every SSH key.
  ///
  /// - Parameter hash: An argon2id string.
  package static func setPassword(
    _ hash: String, of user: UserRecord, at time: WireTime, in database: Database
  ) throws {
    var user = user
    user.password = hash
    user.updatedAt = time
    try UserRecords.update(user, in: database)
    let sessions = try SessionRecords.ids(ofUser: user.id.wireText, in: database)
    try SessionRecords.end(sessions, ofUser: user.id.wireText, at: time, in: database)
    try PhoneRecords.deleteAll(of: user.id.wireText, in: database)
    try SSHKeyRecords.deleteAll(of: user.id.wireText, in: database)
    try CalendarAddressRecords.delete(of: user.id.wireText, in: database)
  }
}

/// Deletes an account with its data, in the caller's transaction.
///
/// Shared history stays without the name: missions with other members, check-ins and activity.
/// Messages of the user are deleted. Everybody who could see the user is notified through the feed,
/// with the audience from before the deletion.
package enum AccountDeletion {
  /// - Parameter user: The id as text.
  /// - Returns: Whether the account existed.
  @discardableResult
  package static func delete(_ user: String, at time: WireTime, in database: Database) throws
    -> Bool
  {
    guard try UserRecords.find(id: user, in: database) != nil else { return false }
    // Missions come first: who may see them depends on friendships and blocks.
    let missions = try MissionRecords.touched(by: user, in: database)
    try ActivityRecords.forget(author: user, in: database)
    try MissionRecords.forget(closer: user, in: database)
    for key in missions { try leave(key, user, at: time, in: database) }
    try MissionMemberRecords.forget(bringer: user, in: database)
    try InvitationRecords.forget(guest: user, in: database)
    try endFriendships(of: user, at: time, in: database)
    let sessions = try SessionRecords.ids(ofUser: user, in: database)
    try SessionRecords.end(sessions, ofUser: user, at: time, in: database)
    try UserRecords.delete(user, in: database)
    return true
  }

  // MARK: - Missions

  private static func leave(
    _ key: String, _ user: String, at time: WireTime, in database: Database
  ) throws {
    guard var mission = try MissionRecords.find(key, in: database) else { return }
    let members = try MissionMemberRecords.all(in: key, from: database)
    if let own = members[user] {
      try MissionReconciler.remove(own, from: mission, at: time, in: database)
    }
    let others = members.values.filter { $0.userID != user }.sorted { $0.userID < $1.userID }
    let isTheirs = mission.creator == user
    if isTheirs, !others.contains(where: { $0.state == .joined }) {
      return try MissionReconciler.delete(mission, at: time, in: database)
    }
    // People whom the user invited and who have not joined are removed with the invitation.
    for guest in others where guest.broughtBy == user && guest.state != .joined {
      try MissionReconciler.set(nil, inPlaceOf: guest, in: mission, at: time, database: database)
    }
    guard isTheirs else { return }
    mission.creator = nil
    if mission.phase(at: time).isOpen {
      try MissionReconciler.close(&mission, as: .cancelled, by: nil, at: time, in: database)
    } else {
      try MissionReconciler.store(&mission, at: time, in: database)
    }
  }

  // MARK: - Friendships and positions

  private static func endFriendships(
    of user: String, at time: WireTime, in database: Database
  ) throws {
    for row in try FriendRecords.friendships(of: user, limit: .max, in: database) {
      try FriendRecords.delete(row, at: time, in: database)
    }
    // Only owners whose position the user saw can have had them as the most exact reader.
    for owner in try [user] + ReaderVisibilityRecords.owners(seenBy: user, in: database) {
      try LocationReconciler.reconcile(owner, at: time, in: database)
    }
  }
}
