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
    if let exchanged = try SessionRecords.exchangedAt(token.generation, of: session, in: database),
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

package struct SessionIssuer: Sendable {
  let signer: TokenSigner
  let lifetime: Duration

  package init(signer: TokenSigner, lifetime: Duration) {
    self.signer = signer
    self.lifetime = lifetime
  }

  /// - Parameter issuer: The address under which the client reached `/auth/v1`.
  func session(
    _ session: SessionRecord, of user: UserRecord, issuer: String, at time: WireTime = .now
  ) throws -> AuthSession {
    let now = time.microseconds / 1_000_000
    let seconds = lifetime.components.seconds
    let token = try signer.sign(
      AccessClaims(
        issuer: issuer, subject: user.id.wireText, audience: AccessClaims.authenticatedRole,
        expiresAt: now + seconds, issuedAt: now, email: user.email, phone: "",
        appMetadata: SessionIssuer.appMetadata, userMetadata: user.metadata,
        role: AccessClaims.authenticatedRole, assuranceLevel: "aal1",
        methods: [
          .init(method: "password", timestamp: session.authenticatedAt.microseconds / 1_000_000)
        ],
        sessionID: session.id.wireText, isAnonymous: false))
    let refresh = RefreshToken(sessionID: session.id, generation: session.generation)
    return AuthSession(
      accessToken: token, expiresIn: Int(seconds), expiresAt: Int(now + seconds),
      refreshToken: refresh.text(key: signer.key), user: SessionIssuer.user(user))
  }

  static func user(_ user: UserRecord) -> AuthUser {
    let identity = AuthIdentity(
      identityID: user.identityID, id: user.id.wireText, userID: user.id,
      identityData: user.metadata.merging([
        "sub": .string(user.id.wireText), "email": .string(user.email),
        "email_verified": true, "phone_verified": false,
      ]) { _, own in own },
      lastSignInAt: user.lastSignInAt.zulu, createdAt: user.createdAt.zulu,
      updatedAt: user.updatedAt.zulu, email: user.email)
    return AuthUser(
      id: user.id, email: user.email, emailConfirmedAt: user.createdAt.zulu,
      confirmedAt: user.createdAt.zulu, lastSignInAt: user.lastSignInAt.zulu,
      appMetadata: appMetadata, userMetadata: user.metadata, identities: [identity],
      createdAt: user.createdAt.zulu, updatedAt: user.updatedAt.zulu)
  }

  private static let appMetadata: [String: JSONValue] = [
    "provider": "email", "providers": ["email"],
  ]
}

/// A refresh token: the session id, the number of exchanges, and an HMAC.
///
/// Only the session's current generation is stored, so a copied database contains no usable token.
/// 16 bytes of session id, 8 of generation (big endian), 16 of HMAC.
struct RefreshToken: Hashable, Sendable {
  private static let tagLength = 16

  var sessionID: UUID
  var generation: Int64

  init(sessionID: UUID, generation: Int64) {
    self.sessionID = sessionID
    self.generation = generation
  }

  /// The common prefix of all tokens of a session.
  static func family(_ text: String) -> String { String(text.prefix(21)) }

  func text(key: SecretKey) -> String {
    let body = body
    return Base64URL.encode(body + RefreshToken.tag(of: body, key: key))
  }

  /// nil for a token that this server did not make.
  init?(_ text: String, keys: [SecretKey]) {
    guard let bytes = Base64URL.decode(text), bytes.count == 24 + RefreshToken.tagLength,
      keys.contains(where: {
        Sodium.areEqual(Array(bytes[24...]), RefreshToken.tag(of: Array(bytes[..<24]), key: $0))
      })
    else { return nil }
    sessionID = UUID(uuid: bytes.span.bytes.unsafeLoadUnaligned(as: uuid_t.self))
    generation = bytes[16..<24].reduce(0) { $0 << 8 | Int64($1) }
  }

  private var body: [UInt8] {
    withUnsafeBytes(of: sessionID.uuid, Array.init)
      + withUnsafeBytes(of: generation.bigEndian, Array.init)
  }

  private static func tag(of body: [UInt8], key: SecretKey) -> [UInt8] {
    Array(Sodium.hmac(Array("refresh".utf8) + body, key: key).prefix(tagLength))
  }
}

extension AccessSecret {
  /// What is stored of a credential. It has 192 random bits, so that a plain digest cannot be
  /// inverted by trying.
  package var digest: String { Base64URL.encode(Sodium.sha256(value.utf8)) }
}
