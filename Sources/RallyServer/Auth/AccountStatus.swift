import Foundation
import RallyWire

/// Closing an account for a while, inside its caller's transaction, and opening it again.
///
/// Whoever is disabled cannot sign in, and every call is answered with the reason. They stay where
/// friends know them, so that nothing has to be mended afterwards; but their position goes, since
/// they cannot hide it any more, and so do their invitations, so that nobody comes in on their word.
enum AccountStatus {
  static func disable(_ user: UserRecord, at time: WireTime, in database: Database) throws {
    var user = user
    user.isBanned = true
    user.updatedAt = time
    try UserRecords.update(user, in: database)
    let id = user.id.wireText
    // The sessions stay, to be told why they are refused; what listens in their name is closed.
    for session in try SessionRecords.ids(ofUser: id, in: database) {
      try ChangeLog.append(
        .update, in: .sessions, key: session, audience: [id], at: time, to: database)
    }
    try LocationReconciler.withdraw(id, at: time, in: database)
    try InvitationRecords.revokeAll(by: id, in: database)
  }

  static func enable(_ user: UserRecord, at time: WireTime, in database: Database) throws {
    var user = user
    user.isBanned = false
    user.updatedAt = time
    try UserRecords.update(user, in: database)
  }

  /// Gives a new password and ends every session.
  ///
  /// - Parameter hash: An argon2id string.
  static func setPassword(
    _ hash: String, of user: UserRecord, at time: WireTime, in database: Database
  ) throws {
    var user = user
    user.password = hash
    user.updatedAt = time
    try UserRecords.update(user, in: database)
    let sessions = try SessionRecords.ids(ofUser: user.id.wireText, in: database)
    try SessionRecords.end(sessions, ofUser: user.id.wireText, at: time, in: database)
  }
}
