import Foundation
import RallyStorage
import RallyText
import RallyWire

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
