import RallyText

/// How a client knows an answer for the server's own: the server repeats a random value of the
/// request, so that no cache, replay, portal or proxy on the way has it.
///
/// Requests without one are answered as ever, and clients that do not know of it pass the header
/// over.
public enum AnswerMark {
  /// The header of the request, with the random value.
  public static let requestHeader = "Rally-Request"
  /// The header of the answer that repeats it.
  public static let answerHeader = "Rally-Answer"

  /// Whether a value is repeated: 1 to 64 letters, digits, `-` and `_`.
  public static func isValid(_ value: some StringProtocol) -> Bool {
    (1...64).contains(value.utf8.count) && value.utf8.allSatisfy(\.isBase64URL)
  }

  /// A new value for one request: 128 random bits in hexadecimal digits.
  public static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }
}
