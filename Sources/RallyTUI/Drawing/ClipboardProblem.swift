/// Why a text cannot be put on the clipboard.
public enum ClipboardProblem: Error, Hashable, Sendable {
  case tooLong(bytes: Int)
  /// A console of the kernel, or one made of hardware.
  case noClipboard

  /// Bytes that terminals take: a sequence of 100,000 bytes, as text before base64.
  public static let limit = 74_994

  public var sentence: String {
    switch self {
    case .tooLong(let bytes):
      "It is too long to be copied: \(bytes) bytes, and terminals take \(Self.limit)."
    case .noClipboard: "This terminal has no clipboard."
    }
  }

  /// Refuses a text that terminals would cut or drop.
  public static func check(_ text: String) throws(ClipboardProblem) {
    let count = text.utf8.count
    guard count <= limit else { throw .tooLong(bytes: count) }
  }
}
