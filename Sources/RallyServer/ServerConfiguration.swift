import RallyWire

/// Where a server listens, where it keeps its data, and how patient it is.
public struct ServerConfiguration: Sendable {
  public enum Listener: Sendable, Hashable {
    /// Port 0 lets the system choose.
    case tcp(host: String, port: Int)
    /// The path has room for 107 bytes; its folder is made private (0700), the socket 0600.
    case unixSocket(path: String)
    /// A TCP or Unix socket that listens already, such as one of systemd's.
    case inherited(descriptor: Int32)
  }

  public enum Database: Sendable {
    /// `DIR/rally.db`, keys in `DIR/server.json` (0600), DIR 0700.
    case folder(String)
    /// A database that other servers may work on as well; keys and lock as above, or keys that live
    /// as long as the server without a folder.
    case postgres(PostgresAddress, folder: String?)
    /// Lives as long as the server; for tests.
    case inMemory
  }

  public var listeners: [Listener]
  /// For what listens on TCP; nil leaves it unencrypted.
  public var certificate: CertificateFiles?
  public var database: Database
  public var passwordCost: PasswordCost
  public var signUpPolicy = SignUpPolicy.open
  /// Where `/metrics` is answered, beside `/health`: never where people's clients ask.
  public var metrics: Listener?
  /// For so long requests may be finished after the server was asked to end.
  public var drainTime = Duration.seconds(1)
  /// Life of an access token.
  public var accessTokenLifetime: Duration
  /// For this long a refresh token may be used again after it was exchanged.
  public var refreshReuseInterval: Duration
  /// Ends the server this long after its last connection closed, and this long after its start if
  /// none ever came; nil keeps it running.
  public var idleExit: Duration?
  /// How much everybody may have and do; on a Unix socket no address is counted.
  public var budgets = Budgets.standard
  public var httpLimits = HTTPLimits()
  /// Literal addresses of proxies whose `X-Forwarded-For` says who is asking.
  public var trustedProxies: [String] = []
  /// A WebSocket without an inbound frame is closed after this long.
  public var socketIdleTimeout: Duration
  /// When moves between cells are announced to coarse readers.
  public var moveDelay = MoveDelay.random
  /// How long after a WebSocket's close frame was queued the client may take to read it and to close.
  public var closeTimeout = Duration.seconds(5)

  public init(
    listeners: [Listener], database: Database, passwordCost: PasswordCost = .standard,
    accessTokenLifetime: Duration = .seconds(3600), refreshReuseInterval: Duration = .seconds(10),
    idleExit: Duration? = nil, budgets: Budgets = .standard,
    socketIdleTimeout: Duration = .seconds(60)
  ) {
    self.listeners = listeners
    self.database = database
    self.passwordCost = passwordCost
    self.accessTokenLifetime = accessTokenLifetime
    self.refreshReuseInterval = refreshReuseInterval
    self.idleExit = idleExit
    self.budgets = budgets
    self.socketIdleTimeout = socketIdleTimeout
  }
}

/// A listener with the port that it really has.
public enum BoundAddress: Sendable, Hashable {
  case tcp(host: String, port: Int, isSecure: Bool = false)
  case unixSocket(path: String)

  /// `http://host:port`, or with `https`; nil for a Unix socket.
  public var url: String? {
    switch self {
    case .tcp(let host, let port, let isSecure):
      "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .unixSocket: nil
    }
  }
}
