import CSealing

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
