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
