/// What one connection may ask of the server before it is told to go.
public struct HTTPLimits: Hashable, Sendable {
  /// Bytes of method, address and version.
  public var requestLine = 8 << 10
  /// Bytes of the request line and all headers.
  public var head = 32 << 10
  public var headers = 100
  /// Bytes of a body; a route may take less, and says so in its own words.
  public var body = 2 << 20
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

/// How many connections there may be at once; those beyond are closed at once.
public struct ConnectionLimits: Hashable, Sendable {
  /// In all, Unix sockets included.
  public var total: Int
  /// For one address of IPv4 or one IPv6 network of 64 bits; trusted proxies have no such limit.
  public var perAddress: Int

  public init(total: Int = 20_000, perAddress: Int = 256) {
    self.total = total
    self.perAddress = perAddress
  }
}
