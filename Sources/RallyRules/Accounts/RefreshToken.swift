import Foundation
import RallyStorage
import RallyWire

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
    sessionID = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
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
