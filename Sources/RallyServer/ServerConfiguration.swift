import RallyGate
import RallyRules
import RallyStorage
import RallyWire

/// The listeners, database, limits and timeouts of a server.
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
    /// PostgreSQL, which several servers may share. Keys and lock are in the folder; without one
    /// the keys are temporary.
    case postgres(PostgresAddress, folder: String?)
    /// Not stored; for tests.
    case inMemory
  }

  public var listeners: [Listener]
  /// For TCP listeners; nil for no TLS.
  public var certificate: CertificateFiles?
  public var database: Database
  /// The file of the key that encrypts this server's keys in a PostgreSQL database; made at the
  /// first start. nil keeps them in the folder.
  public var encryptionKey: String?
  public var passwordCost: PasswordCost
  public var signUpPolicy = SignUpPolicy.open
  /// The listener of `/metrics` and `/health`, separate from those for clients.
  public var metrics: Listener?
  /// The path of an archive of streets that clients may fetch; nil offers none.
  public var streets: String?
  /// How the group reaches this server; nil where invitations are codes and no links.
  public var publicURL: String?
  /// The command with which people come in by SSH; nil without such a door.
  public var sshCommand: String?
  /// How long requests may take to finish after shutdown was requested.
  public var drainTime = Duration.seconds(1)
  /// Life of an access token.
  public var accessTokenLifetime: Duration
  /// How long a refresh token may be reused after it was exchanged.
  public var refreshReuseInterval: Duration
  /// Ends the server this long after its last connection closed, and this long after its start if
  /// none ever came; nil keeps it running.
  public var idleExit: Duration?
  /// The budgets; clients on a Unix socket have no address to count.
  public var budgets = Budgets.standard
  public var httpLimits = HTTPLimits()
  /// IP addresses of proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies: [String] = []
  /// How long a WebSocket may be without inbound frames.
  public var socketIdleTimeout: Duration
  /// When moves between cells are announced to coarse readers.
  public var moveDelay = MoveDelay.derived
  /// How long after a WebSocket's close frame was queued the client may take to read it and to close.
  public var closeTimeout = Duration.seconds(5)

  /// How long a start waits for a PostgreSQL that is not there yet, as while a machine starts.
  public var databasePatience = Duration.zero
  /// The wall clock of accounts, sessions, functions and the change feed. Budgets and leases never
  /// ask it.
  public var now: @Sendable () -> WireTime = { .now }

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

/// The address of a listener with its actual port.
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
