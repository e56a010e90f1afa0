import Foundation
import RallyWire

/// A signed-in person, as told by a verified token.
struct Caller: Hashable, Sendable {
  let id: UUID
  let userID: String
  let sessionID: String

  /// nil for a token without a person, such as the API key.
  init?(_ claims: AccessClaims) {
    guard claims.role == AccessClaims.authenticatedRole,
      let id = claims.subject.flatMap(UUID.init(uuidString:)), let sessionID = claims.sessionID
    else { return nil }
    self.id = id
    userID = id.wireText
    self.sessionID = sessionID.lowercased()
  }

  /// Somebody whose session was made just now.
  init(id: UUID, session: UUID) {
    self.id = id
    userID = id.wireText
    sessionID = session.wireText
  }

  enum Standing: Sendable {
    case good, signedOut, banned
  }

  /// Whether the session still lives; the first statement of every function's transaction.
  func standing(in database: Database) throws -> Standing {
    switch try SessionRecords.isBanned(session: sessionID, user: userID, in: database) {
    case nil: .signedOut
    case true?: .banned
    case false?: .good
    }
  }
}
