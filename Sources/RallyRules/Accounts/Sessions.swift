import Foundation
import RallyStorage
import RallyText
import RallyWire

/// Exchanging refresh tokens, and signing out.
package struct Sessions: Sendable {
  let storage: Storage
  package let issuer: SessionIssuer
  let reuseInterval: Duration
  package var now: @Sendable () -> WireTime = { .now }

  package init(
    storage: Storage, issuer: SessionIssuer, reuseInterval: Duration,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.storage = storage
    self.issuer = issuer
    self.reuseInterval = reuseInterval
    self.now = now
  }

  private enum Exchange: Sendable {
    case session(SessionRecord, UserRecord)
    case refused(AuthRefusal)
  }

  private static let notFound = AuthRefusal(
    400, .refreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
  private static let alreadyUsed = AuthRefusal(
    400, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")

  /// Exchanges a refresh token for its successor.
  ///
  /// The active token is exchanged for a new one. Its parent stays valid and yields the active
  /// token, since the response that carried it may have been lost; so does any token within the
  /// reuse interval. An older token counts as stolen and ends the session.
  package func refresh(_ text: String?, issuer address: String) async throws -> AuthSession {
    guard let text, text.utf8.count >= 12, text.utf8.allSatisfy(\.isBase64URL) else {
      throw AuthRefusal(400, .validationFailed, "Refresh token is not valid")
    }
    guard let token = RefreshToken(text, keys: issuer.signer.refreshKeys) else {
      throw Sessions.notFound
    }
    let exchange = try await storage.write { [reuseInterval, now] database in
      try Sessions.exchange(token, reuseInterval: reuseInterval, at: now(), in: database)
    }
    switch exchange {
    case .session(let session, let user):
      return try issuer.session(session, of: user, issuer: address)
    case .refused(let refusal): throw refusal
    }
  }

  private static func exchange(
    _ token: RefreshToken, reuseInterval: Duration, at now: WireTime, in database: Database
  ) throws -> Exchange {
    guard var session = try SessionRecords.find(token.sessionID.wireText, in: database),
      let user = try UserRecords.find(id: session.userID, in: database),
      token.generation <= session.generation
    else { return .refused(notFound) }
    guard !user.isBanned else { return .refused(.banned(400)) }
    if token.generation == session.generation {
      let limit = now.advanced(by: .zero - reuseInterval - .seconds(60))
      try SessionRecords.advance(session, at: now, forgettingBefore: limit, in: database)
      session.generation += 1
      return .session(session, user)
    }
    if token.generation == session.generation - 1 { return .session(session, user) }
    if let exchanged = try SessionRecords.exchangedAt(
      token.generation, of: session, in: database),
      exchanged.isRecent(within: reuseInterval, at: now)
    {
      return .session(session, user)
    }
    // Returned instead of thrown, so that the end of the session is committed.
    try SessionRecords.end([session.id.wireText], ofUser: session.userID, at: now, in: database)
    return .refused(alreadyUsed)
  }

  /// What all tokens of a session have in common; nil for a text that is no token of this server.
  package func family(of text: String?) -> String? {
    text.flatMap {
      RefreshToken($0, keys: issuer.signer.refreshKeys) == nil ? nil : RefreshToken.family($0)
    }
  }

  package func signOut(_ scope: LogoutScope, caller: Caller) async throws {
    try await storage.write { [now] database in
      _ = try Accounts.currentUser(caller, in: database)
      let all = try SessionRecords.ids(ofUser: caller.userID, in: database)
      let ended =
        switch scope {
        case .global: all
        case .local: [caller.sessionID]
        case .others: all.filter { $0 != caller.sessionID }
        }
      try SessionRecords.end(ended, ofUser: caller.userID, at: now(), in: database)
    }
  }
}
