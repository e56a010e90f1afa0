/// Which rows an answer has of all, as PostgREST's header `Content-Range` tells.
struct ContentRange: Hashable, Sendable {
  /// Whether no row follows those of the answer.
  let isWhole: Bool

  /// - Parameter text: `0-11/40`, or `*/0` where there is no row.
  /// - Returns: nil where the header is missing or does not tell the number of all rows.
  init?(_ text: String?) {
    let parts = (text ?? "").split(separator: "/")
    guard parts.count == 2, let total = Int(parts[1]) else { return nil }
    guard parts[0] != "*" else {
      isWhole = total == 0
      return
    }
    guard let last = parts[0].split(separator: "-").last.flatMap({ Int($0) }) else { return nil }
    isWhole = last >= total - 1
  }
}
