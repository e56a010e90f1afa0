/// What HTTP itself may take on one connection: sizes of heads, and times.
public struct HTTPLimits: Hashable, Sendable {
  /// Bytes of method, address and version.
  public var requestLine = 8 << 10
  /// Bytes of the request line and all headers.
  public var head = 32 << 10
  public var headers = 100
  /// For a whole head, counted from its first byte; for the first one, from the connection's
  /// beginning, so that it bounds a TLS handshake too.
  public var headTime = Duration.seconds(10)
  /// For a whole body.
  public var bodyTime = Duration.seconds(30)
  /// For a client to take a whole answer.
  public var answerTime = Duration.seconds(60)
  /// Without a request.
  public var idleTime = Duration.seconds(75)

  public init() {}
}
