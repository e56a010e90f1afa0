import RallyStorage
import RallyWire

extension AccessSecret {
  /// What is stored of a credential. It has 192 random bits, so that a plain digest cannot be
  /// inverted by trying.
  package var digest: String { Base64URL.encode(Sodium.sha256(value.utf8)) }
}
