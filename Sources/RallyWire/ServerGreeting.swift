import RallyText

/// What a server prints once it is ready: the one line of `rally serve --json`.
public struct ServerAnnouncement: Hashable, Sendable, Codable {
  public var url: String
  /// The anonymous API key that every request carries.
  public var key: String
  /// The address of `/metrics` and `/health`; nil if they are not served.
  public var metrics: String?

  public init(url: String, key: String, metrics: String? = nil) {
    self.url = url
    self.key = key
    self.metrics = metrics
  }
}

/// Answer of `GET /rally/v1/hello` on the embedded server's own socket.
///
/// The socket is private to its owner (0600 in a 0700 folder), so the response may hold the key.
public struct ServerGreeting: Hashable, Sendable, Codable {
  public static let path = "/rally/v1/hello"

  public var key: String
  public var pid: Int32
  public var version: String

  public init(key: String, pid: Int32, version: String) {
    self.key = key
    self.pid = pid
    self.version = version
  }
}

/// The version of the program and of its server.
public enum RallyVersion {
  public static let current = "0.1.0"
}

/// How a client recognises the server's own answer: the server repeats a random value of the
/// request, so that no cache, replay, portal or proxy on the way has it.
///
/// Requests without one are answered as ever, and older clients pass the header over.
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

/// The archive of streets that a server offers to its group.
public enum StreetsOffer {
  /// Where parts of the file are fetched (RFC 9110, section 14), with the API key and a session; as objects of a
  /// public bucket of Supabase Storage are.
  public static let path = "/storage/v1/object/public/streets/streets.pmtiles"
}
