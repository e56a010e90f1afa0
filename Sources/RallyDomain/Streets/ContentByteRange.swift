import RallySystem

/// The bytes of a response and the file's length, from the header `Content-Range` of a file server.
struct ContentByteRange: Hashable, Sendable {
  let bytes: Range<UInt64>
  /// Of the whole file.
  let length: UInt64

  /// - Parameter text: `bytes 0-99/1234`.
  /// - Returns: Nil for anything else, and if the length is unknown.
  init?(_ text: String?) {
    let words = (text ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(whereSeparator: { $0 == "-" || $0 == "/" }).map { UInt64($0) }
    guard parts.count == 3, let first = parts[0], let last = parts[1], let length = parts[2],
      first <= last, last < length
    else { return nil }
    bytes = first..<last + 1
    self.length = length
  }
}
