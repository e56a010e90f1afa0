import FoundationEssentials
import RallyText

/// The credential of one phone, or of one address of a calendar: 24 random bytes as 32 characters of base64url (RFC 4648 section 5).
///
/// The client makes it and shows it once; the server stores only its digest.
public struct AccessSecret: Hashable, Sendable {
  /// Random bytes in it.
  public static let byteCount = 24
  /// Characters of its text.
  public static let length = 32

  public let value: String

  /// - Returns: nil for anything but 32 characters of base64url.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == AccessSecret.length, text.utf8.allSatisfy(\.isBase64URL) else {
      return nil
    }
    value = String(text)
  }

  /// - Parameter bytes: From a generator that is fit for keys.
  /// - Returns: nil for any other number than 24.
  public init?(randomBytes bytes: [UInt8]) {
    guard bytes.count == AccessSecret.byteCount else { return nil }
    value = Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_")
  }
}

extension AccessSecret: CustomStringConvertible, CustomReflectable {
  /// Without the value, which belongs in no log.
  public var description: String { "AccessSecret" }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
