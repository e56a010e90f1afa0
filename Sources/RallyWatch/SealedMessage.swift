import CSealing
import FoundationEssentials
import RallyWire

/// What a message of a link is about.
public enum WatchKind: String, Hashable, Sendable {
  /// `WatchPlace`.
  case place
  /// `WatchGround`.
  case ground

  fileprivate static let (nonce, tag) = (12, 16)

  fileprivate var sealedSize: Int {
    self == .place ? WatchRules.placeBytes : WatchRules.groundBytes
  }

  /// The bytes of its text, with what fills it up.
  var size: Int { sealedSize - Self.nonce - Self.tag }

  /// What a text is filled up with: nothing to a reader of JSON, and to one that counts.
  fileprivate var filling: UInt8 { self == .place ? UInt8(ascii: " ") : 0 }
}

extension WatchMessage {
  /// Seals a text for who has the link's key, with a nonce of its own.
  ///
  /// - Parameter counter: One more than that of the last message of this kind: an older one is not
  ///   shown again.
  /// - Returns: nil for a text that is too long for its kind.
  public init?(
    _ text: some Collection<UInt8>, _ kind: WatchKind, counter: Int64, of link: WatchAddress
  ) {
    guard text.count <= kind.size else { return nil }
    let plain = Array(text) + Array(repeating: kind.filling, count: kind.size - text.count)
    let nonce = [UInt8].random(WatchKind.nonce)
    let more = Self.associated(kind, counter, link.id)
    var sealed = [UInt8](repeating: 0, count: plain.count + WatchKind.tag)
    guard
      rally_seal(link.key.bytes, nonce, more, more.count, plain, plain.count, &sealed) == 1
    else { return nil }
    let base64 = Data(nonce + sealed).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    self.init(counter: counter, sealed: base64)
  }

  /// The text, with what fills it up; nil for one that was sealed with another key, for another link,
  /// kind or counter, or changed since.
  public func opened(as kind: WatchKind, of link: WatchAddress) -> [UInt8]? {
    var base64 = sealed.replacing("-", with: "+").replacing("_", with: "/")
    while !base64.utf8.count.isMultiple(of: 4) { base64 += "=" }
    guard let bytes = Data(base64Encoded: base64).map(Array.init), bytes.count == kind.sealedSize
    else { return nil }
    let (nonce, box) = (Array(bytes[..<WatchKind.nonce]), Array(bytes[WatchKind.nonce...]))
    let more = Self.associated(kind, counter, link.id)
    var plain = [UInt8](repeating: 0, count: kind.size)
    guard
      rally_unseal(link.key.bytes, nonce, more, more.count, box, box.count, &plain) == 1
    else { return nil }
    return plain
  }

  /// The form's number, the link, the kind, which is one direction's, and the counter.
  private static func associated(
    _ kind: WatchKind, _ counter: Int64, _ link: WatchLinkID
  ) -> [UInt8] {
    Array("rally watch 1 \(link.value) \(kind.rawValue) \(counter)".utf8)
  }
}
