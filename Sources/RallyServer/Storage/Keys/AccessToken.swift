import Foundation
import RallyWire

/// The payload of an access token as GoTrue writes it, or of an API key.
struct AccessClaims: Hashable, Sendable, Codable {
  struct Method: Hashable, Sendable, Codable {
    var method: String
    var timestamp: Int64
  }

  var issuer: String?
  var subject: String?
  /// A plain string, not an array.
  var audience: String?
  /// Seconds since 1970.
  var expiresAt: Int64
  var issuedAt: Int64?
  var email: String?
  var phone: String?
  var appMetadata: [String: JSONValue]?
  var userMetadata: [String: JSONValue]?
  var role: String
  var assuranceLevel: String?
  var methods: [Method]?
  var sessionID: String?
  var isAnonymous: Bool?
  /// Of the SSH key that a ticket is for.
  var fingerprint: String?
  /// The key itself, in a ticket for making an account.
  var sshKey: String?

  static let anonymousRole = "anon"
  static let authenticatedRole = "authenticated"

  enum CodingKeys: String, CodingKey {
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
  func requireTime(at time: WireTime = .now, skew: Int64) throws(TokenProblem) {
    let now = time.microseconds / 1_000_000
    guard now - skew < expiresAt else {
      let (age, isTooLong) = now.subtractingReportingOverflow(expiresAt)
      throw .expired(secondsAgo: isTooLong ? .max : age)
    }
  }
}

/// Why a token is refused.
enum TokenProblem: Error, Hashable, Sendable {
  case malformed
  case badSignature
  case expired(secondsAgo: Int64)
}

/// Mints and verifies HS256 tokens (RFC 7515, RFC 7519) that name their key.
struct TokenSigner: Sendable {
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

  init(keys: KeyRing) { self.keys = keys }

  /// The key of new tokens.
  var key: SecretKey { keys.current.signing(at: .now) }

  /// The keys that verify refresh tokens.
  var refreshKeys: [SecretKey] { keys.current.all }

  func sign(_ claims: AccessClaims) throws -> String {
    let key = key
    let signed = Header.text(of: key) + "." + Base64URL.encode(try WireJSON.encode(claims))
    return signed + "." + Base64URL.encode(Sodium.hmac(signed.utf8, key: key))
  }

  /// - Parameter skew: Seconds for which an expired token is still accepted.
  func verify(
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
