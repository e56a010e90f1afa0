import Foundation
import RallyText
import RallyWire

/// The payload of an access token as GoTrue writes it, or of an API key.
package struct AccessClaims: Hashable, Sendable, Codable {
  package struct Method: Hashable, Sendable, Codable {
    package var method: String
    package var timestamp: Int64

    package init(method: String, timestamp: Int64) {
      self.method = method
      self.timestamp = timestamp
    }
  }

  package var issuer: String?
  package var subject: String?
  /// A plain string, not an array.
  package var audience: String?
  /// Seconds since 1970.
  package var expiresAt: Int64
  package var issuedAt: Int64?
  package var email: String?
  package var phone: String?
  package var appMetadata: [String: JSONValue]?
  package var userMetadata: [String: JSONValue]?
  package var role: String
  package var assuranceLevel: String?
  package var methods: [Method]?
  package var sessionID: String?
  package var isAnonymous: Bool?
  /// Of the SSH key that a ticket is for.
  package var fingerprint: String?
  /// The key itself, in a ticket for making an account.
  package var sshKey: String?

  package init(
    issuer: String? = nil, subject: String? = nil, audience: String? = nil, expiresAt: Int64,
    issuedAt: Int64? = nil, email: String? = nil, phone: String? = nil,
    appMetadata: [String: JSONValue]? = nil, userMetadata: [String: JSONValue]? = nil, role: String,
    assuranceLevel: String? = nil, methods: [Method]? = nil, sessionID: String? = nil,
    isAnonymous: Bool? = nil, fingerprint: String? = nil, sshKey: String? = nil
  ) {
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
    self.expiresAt = expiresAt
    self.issuedAt = issuedAt
    self.email = email
    self.phone = phone
    self.appMetadata = appMetadata
    self.userMetadata = userMetadata
    self.role = role
    self.assuranceLevel = assuranceLevel
    self.methods = methods
    self.sessionID = sessionID
    self.isAnonymous = isAnonymous
    self.fingerprint = fingerprint
    self.sshKey = sshKey
  }

  package static let anonymousRole = "anon"
  package static let authenticatedRole = "authenticated"

  package enum CodingKeys: String, CodingKey {
    case email, phone, role
    case fingerprint = "ssh_fingerprint"
    case sshKey = "ssh_key"
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expiresAt = "exp"
    case issuedAt = "iat"
    case appMetadata = "app_metadata"
    case userMetadata = "user_metadata"
    case assuranceLevel = "aal"
    case methods = "amr"
    case sessionID = "session_id"
    case isAnonymous = "is_anonymous"
  }

  /// - Parameter skew: Seconds for which an expired token is still accepted.
  package func requireTime(at time: WireTime = .now, skew: Int64) throws(TokenProblem) {
    let now = time.microseconds / 1_000_000
    guard now - skew < expiresAt else {
      let (age, isTooLong) = now.subtractingReportingOverflow(expiresAt)
      throw .expired(secondsAgo: isTooLong ? .max : age)
    }
  }
}

/// Why a token is refused.
package enum TokenProblem: Error, Hashable, Sendable {
  case malformed
  case badSignature
  case expired(secondsAgo: Int64)
}

/// Mints and verifies HS256 tokens (RFC 7515, RFC 7519) that name their key.
package struct TokenSigner: Sendable {
  private struct Header: Codable {
    var alg = "HS256"
    /// nil in tokens from before servers had several keys.
    var kid: String?
    var typ: String? = "JWT"

    /// The first part of the tokens that a key signs: what `WireJSON` would write.
    static func text(of key: SecretKey) -> String {
      Base64URL.encode(#"{"alg":"HS256","kid":"\#(key.id)","typ":"JWT"}"#.utf8)
    }
  }

  private let keys: KeyRing

  package init(keys: KeyRing) { self.keys = keys }

  /// The key of new tokens.
  package var key: SecretKey { keys.current.signing(at: .now) }

  /// The keys that verify refresh tokens.
  package var refreshKeys: [SecretKey] { keys.current.all }

  package func sign(_ claims: AccessClaims) throws -> String {
    let key = key
    let signed = Header.text(of: key) + "." + Base64URL.encode(try WireJSON.encode(claims))
    return signed + "." + Base64URL.encode(Sodium.hmac(signed.utf8, key: key))
  }

  /// - Parameter skew: Seconds for which an expired token is still accepted.
  package func verify(
    _ token: String, at time: WireTime = .now, skew: Int64 = 0
  ) throws(TokenProblem) -> AccessClaims {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let tag = Base64URL.decode(parts[2])
    else { throw .malformed }
    let signed = "\(parts[0]).\(parts[1])".utf8
    let keys = keys.current
    let key = try named(by: parts[0], among: keys.all).first {
      Sodium.areEqual(tag, Sodium.hmac(signed, key: $0))
    }
    guard let key else { throw .badSignature }
    guard let claims = try? WireJSON.decode(AccessClaims.self, from: Data(payload)) else {
      throw .malformed
    }
    guard keys.accepts(claims, signedBy: key) else { throw .badSignature }
    try claims.requireTime(at: time, skew: skew)
    return claims
  }

  /// The keys that may have signed a token with this header.
  private func named(
    by header: Substring, among keys: [SecretKey]
  ) throws(TokenProblem) -> [SecretKey] {
    // Nearly every token is one of this server's own.
    if let key = keys.first(where: { Header.text(of: $0) == header }) { return [key] }
    guard let bytes = Base64URL.decode(header),
      let header = try? WireJSON.decode(Header.self, from: Data(bytes))
    else { throw .malformed }
    guard header.alg == "HS256" else { return [] }
    return keys.filter { header.kid == nil || header.kid == $0.id }
  }
}
