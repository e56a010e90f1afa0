/// Why text cannot be copied to the clipboard.
public enum ClipboardError: Error, Hashable, Sendable {
  case tooLong(bytes: Int)
  /// A kernel console or a hardware terminal.
  case noClipboard

  /// Maximum length of the text in bytes: terminals accept sequences of 100,000 bytes, which hold
  /// this much before base64 encoding.
  public static let limit = 74_994

  public var sentence: String {
    switch self {
    case .tooLong(let bytes):
      "It is too long to be copied: \(bytes) bytes, and terminals take \(Self.limit)."
    case .noClipboard: "This terminal has no clipboard."
    }
  }

  /// Checks the length against what terminals accept.
  ///
  /// - Throws: `ClipboardError.tooLong`.
  public static func check(_ text: String) throws(ClipboardError) {
    let count = text.utf8.count
    guard count <= limit else { throw .tooLong(bytes: count) }
  }
}
