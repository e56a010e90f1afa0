import CSealing
import RallyWire

/// What the address of a link has in its fragment, which no browser sends: the link's name and its key,
/// as 68 characters of Crockford's base 32. Messengers neither cut nor change those.
public struct WatchAddress: Hashable, Sendable {
  public static let length = WatchLinkID.length + 52

  public let id: WatchLinkID
  public let key: WatchKey

  public init(id: WatchLinkID, key: WatchKey) {
    self.id = id
    self.key = key
  }

  public static func random() -> WatchAddress {
    guard let id = WatchLinkID(randomNumbers: .random(WatchLinkID.length)) else {
      preconditionFailure("A link's name has \(WatchLinkID.length) characters.")
    }
    return WatchAddress(id: id, key: .random())
  }

  /// - Returns: nil for anything but 68 characters of the alphabet, in upper case.
  public init?(fragment: some StringProtocol) {
    guard fragment.utf8.count == WatchAddress.length,
      let id = WatchLinkID(fragment.prefix(WatchLinkID.length))
    else { return nil }
    var bytes: [UInt8] = []
    var (value, bits) = (0, 0)
    for letter in fragment.dropFirst(WatchLinkID.length) {
      guard let number = InvitationCode.alphabet.firstIndex(of: letter) else { return nil }
      value = (value << 5 | number) & 0xFFF
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(value >> bits & 0xFF))
    }
    guard let key = WatchKey(bytes: bytes) else { return nil }
    self.init(id: id, key: key)
  }

  public var fragment: String {
    var text = id.value
    var (value, bits) = (0, 0)
    for byte in key.bytes {
      value = (value << 8 | Int(byte)) & 0xFFF
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(InvitationCode.alphabet[value >> bits & 31])
      }
    }
    if bits > 0 { text.append(InvitationCode.alphabet[value << (5 - bits) & 31]) }
    return text
  }

  /// The whole address.
  ///
  /// - Parameter server: `https://rally.example.org`.
  public func link(at server: String) -> String { "\(server)\(WatchRules.path)#\(fragment)" }

  /// The address at which a browser on the maker's phone feeds the link.
  public func phoneLink(at server: String, with secret: AccessSecret) -> String {
    "\(link(at: server)).\(secret.value)"
  }
}

extension WatchAddress: CustomStringConvertible, CustomReflectable {
  /// Without the key, which belongs in no log.
  public var description: String { "WatchAddress" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The key of a link to watch: 256 random bits, in the address and nowhere else.
public struct WatchKey: Hashable, Sendable {
  public static let length = 32

  public let bytes: [UInt8]

  /// - Returns: nil for any other number of bytes than 32.
  public init?(bytes: [UInt8]) {
    guard bytes.count == WatchKey.length else { return nil }
    self.bytes = bytes
  }

  private init(fresh bytes: [UInt8]) { self.bytes = bytes }

  public static func random() -> WatchKey { WatchKey(fresh: .random(length)) }

  /// HMAC-SHA-256 of a text under this key.
  public func digest(of text: String) -> [UInt8] {
    let text = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    guard rally_digest(bytes, text, text.count, &digest) == 1 else {
      preconditionFailure("There is no memory for a digest.")
    }
    return digest
  }
}

extension WatchKey: CustomStringConvertible, CustomReflectable {
  /// Without the key, which belongs in no log.
  public var description: String { "WatchKey" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension [UInt8] {
  /// From the system's generator, which is fit for keys.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
