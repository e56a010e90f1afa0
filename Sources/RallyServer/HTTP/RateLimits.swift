/// How many requests there may be in five minutes; all at once, or one after the other.
public struct RateLimits: Hashable, Sendable {
  /// Of one address of IPv4 or one IPv6 network of 64 bits.
  public var signUps: Int
  /// Sign-ins of one address, as many refreshes, and as many changes of passwords.
  public var tokens: Int
  /// Failed sign-ins to one account, whoever tries; sign-ups for one e-mail address; changes of one
  /// person's password.
  public var attempts: Int
  /// Refreshes of one session.
  public var refreshes: Int
  /// Searches of one person; an address may have this and the following `sharing` times over.
  public var searches: Int
  /// Friend requests of one person.
  public var requests: Int
  /// Invitations that one person makes, looks at or accepts.
  public var invitations: Int
  /// How many busy people may share an address.
  public var sharing: Int

  public init(
    signUps: Int, tokens: Int, attempts: Int = 30, refreshes: Int = 150, searches: Int = 600,
    requests: Int = 120, invitations: Int = 120, sharing: Int = 20
  ) {
    self.signUps = signUps
    self.tokens = tokens
    self.attempts = attempts
    self.refreshes = refreshes
    self.searches = searches
    self.requests = requests
    self.invitations = invitations
    self.sharing = sharing
  }

  /// Generous: a whole group may sit behind one address.
  public static let standard = RateLimits(signUps: 300, tokens: 1500)

  func forAddress(_ kind: RateLimiter.Kind) -> Int {
    switch kind {
    case .signUp: signUps
    case .signIn, .refresh, .passwordChange: tokens
    case .search, .request, .invitation: forAccount(kind) * sharing
    }
  }

  func forAccount(_ kind: RateLimiter.Kind) -> Int {
    switch kind {
    case .signUp, .signIn, .passwordChange: attempts
    case .refresh: refreshes
    case .search: searches
    case .request: requests
    case .invitation: invitations
    }
  }
}
