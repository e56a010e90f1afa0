import CSodium
import Foundation

/// The primitives of libsodium that the server uses.
package enum Sodium {
  /// libsodium must be initialised once; it only fails when there is no source of randomness.
  private static let isReady = sodium_init() >= 0

  package static func randomBytes(_ count: Int) -> [UInt8] {
    precondition(isReady, "libsodium could not be initialised")
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }

  /// HMAC-SHA-256 under a key of exactly 32 bytes.
  package static func hmac(_ message: some Sequence<UInt8>, key: SecretKey) -> [UInt8] {
    let message = Array(message)
    var tag = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
    crypto_auth_hmacsha256(&tag, message, UInt64(message.count), key.bytes)
    return tag
  }

  package static func sha256(_ message: some Sequence<UInt8>) -> [UInt8] {
    let message = Array(message)
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
    crypto_hash_sha256(&digest, message, UInt64(message.count))
    return digest
  }

  /// Encrypts and authenticates (XSalsa20-Poly1305): a random nonce and the ciphertext.
  static func seal(_ message: [UInt8], key: SecretKey) -> [UInt8] {
    let nonce = randomBytes(crypto_secretbox_noncebytes())
    var box = [UInt8](repeating: 0, count: message.count + crypto_secretbox_macbytes())
    crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, key.bytes)
    return nonce + box
  }

  /// nil for what was sealed with another key, or changed since.
  package static func open(_ sealed: [UInt8], key: SecretKey) -> [UInt8]? {
    let (nonceLength, tagLength) = (crypto_secretbox_noncebytes(), crypto_secretbox_macbytes())
    guard isReady, sealed.count >= nonceLength + tagLength else { return nil }
    let box = Array(sealed[nonceLength...])
    var message = [UInt8](repeating: 0, count: box.count - tagLength)
    let status = crypto_secretbox_open_easy(
      &message, box, UInt64(box.count), Array(sealed[..<nonceLength]), key.bytes)
    return status == 0 ? message : nil
  }

  /// Compares in constant time.
  package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && sodium_memcmp(a, b, a.count) == 0
  }

  /// An argon2id string of the PHC form; nil when there is no memory for it.
  package static func passwordHash(_ password: String, operations: UInt64, memory: Int) -> String? {
    precondition(isReady, "libsodium could not be initialised")
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
    let bytes = password.utf8.map(CChar.init(bitPattern:))
    guard crypto_pwhash_str(&text, bytes, UInt64(bytes.count), operations, memory) == 0 else {
      return nil
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package static func verifies(_ password: String, against hash: String) -> Bool {
    let bytes = password.utf8.map(CChar.init(bitPattern:))
    return crypto_pwhash_str_verify(hash, bytes, UInt64(bytes.count)) == 0
  }
}

/// 32 secret bytes that sign tokens.
package struct SecretKey: Hashable, Sendable {
  static let length = 32

  let bytes: [UInt8]
  /// The key id in tokens; reveals nothing about the key.
  let id: String

  init?(bytes: [UInt8]) {
    guard bytes.count == SecretKey.length else { return nil }
    self.init(bytes)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    id = Base64URL.encode(Sodium.sha256(Array("kid".utf8) + bytes).prefix(6))
  }

  static func random() -> SecretKey { SecretKey(Sodium.randomBytes(length)) }
}

/// Base64 for URLs without padding (RFC 4648 section 5).
package enum Base64URL {
  private static let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    // With a zero at the end.
    var text = [CChar](
      repeating: 0, count: sodium_base64_encoded_len(bytes.count, Base64URL.variant))
    sodium_bin2base64(&text, text.count, bytes, bytes.count, Base64URL.variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// nil for other characters, padding, and bits that no byte has.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = text.utf8.map(CChar.init(bitPattern:))
    var bytes = [UInt8](repeating: 0, count: text.count)
    var count = 0
    guard
      sodium_base642bin(
        &bytes, bytes.count, text, text.count, nil, &count, nil, Base64URL.variant) == 0
    else { return nil }
    return Array(bytes.prefix(count))
  }
}
