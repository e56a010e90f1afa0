import Foundation
import RallyStorage
import RallyWire

/// The signed-in user of a request, from a verified access token.
package struct Caller: Hashable, Sendable {
  package let id: UUID
  package let userID: String
  package let sessionID: String

  /// nil for a token without a user, such as the API key.
  package init?(_ claims: AccessClaims) {
    guard claims.role == AccessClaims.authenticatedRole,
      let id = claims.subject.flatMap(UUID.init(wireText:)), let sessionID = claims.sessionID
    else { return nil }
    self.id = id
    userID = id.wireText
    self.sessionID = sessionID.lowercased()
  }

  /// The user of a session that was just created.
  package init(id: UUID, session: UUID) {
    self.id = id
    userID = id.wireText
    sessionID = session.wireText
  }

  package enum Status: Sendable {
    case active, signedOut, banned
  }

  /// Whether the session still exists; the first statement of every function's transaction.
  package func status(in database: Database) throws -> Status {
    switch try SessionRecords.isBanned(session: sessionID, user: userID, in: database) {
    case nil: .signedOut
    case true?: .banned
    case false?: .active
    }
  }
}

extension Caller {
  /// - Returns: The friend's id as text.
  /// - Throws: `yourself`, and `not_found` for a stranger, somebody who blocks the caller and an
  ///   unknown id, who are never distinguished.
  func requireFriend(_ id: UUID, in database: Database) throws -> String {
    guard id != self.id else { throw FunctionFailure(.yourself, "That is you.") }
    guard try FriendRecords.areFriends(userID, id.wireText, in: database) else {
      throw FunctionFailure(.notFound, "There is no friend with this id.")
    }
    return id.wireText
  }
}
