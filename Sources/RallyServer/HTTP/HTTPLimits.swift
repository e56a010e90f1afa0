/// Limits of HTTP on one connection: sizes of heads, and timeouts.
public struct HTTPLimits: Hashable, Sendable {
  /// Bytes of method, address and version.
  public var requestLine = 8 << 10
  /// Bytes of the request line and all headers.
  public var head = 32 << 10
  public var headers = 100
  /// Timeout for a head, from its first byte; for the first head from the start of the connection,
  /// so that it includes the TLS handshake.
  public var headTime = Duration.seconds(10)
  /// Timeout for a body.
  public var bodyTime = Duration.seconds(30)
  /// Timeout for a client to read a part of a response, from the last byte that it took on.
  public var answerTime = Duration.seconds(60)
  /// Timeout of an idle connection.
  public var idleTime = Duration.seconds(75)

  public init() {}
}
