import RallySystem

/// The rows of a response and their total number, from PostgREST's header `Content-Range`.
struct ContentRange: Hashable, Sendable {
  /// Whether the response contains the last row.
  let isWhole: Bool

  /// - Parameter text: `0-11/40`, or `*/0` for no rows.
  /// - Returns: nil if the header is missing or has no total.
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
