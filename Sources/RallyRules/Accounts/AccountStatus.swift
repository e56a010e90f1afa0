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
    try OnMyWay.end(OnMyWayRecords.all(of: id, in: database), at: time, in: database)
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
