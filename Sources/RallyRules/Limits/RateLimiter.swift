import RallyWire

/// Token buckets, one for each kind of request and address, and for each kind and account. They fill
/// up by a clock that nobody can set.
package final class RateLimiter: Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    case signUp, signIn, refresh, passwordChange
    /// Functions and tables: see `init(name:)`.
    case search, request, invitation, profileChange
    /// `/calendar`; the account is the address's digest.
    case calendar
    /// `/phone/` with a credential that nobody has; it has no account.
    case unknownPhone
    /// `POST /i`; it has no account.
    case openInvitation
    /// `/w/ID`; it has no account.
    case watch

    /// - Parameter name: Of a function or a table; nil for one without a limit of its own.
    package init?(name: String) {
      switch name {
      // Reading profiles by username counts as search.
      case SearchPeople.name, ReadableTable.profiles.rawValue: self = .search
      case RequestFriend.name: self = .request
      // The result reveals whether a username is taken.
      case UpdateProfile.name: self = .profileChange
      case CreateInvitation.name, FetchInvitation.name, AcceptInvitation.name: self = .invitation
      default: return nil
      }
    }

    /// The budget of an account or session; nil for what has none.
    var accountBudget: Budget? {
      switch self {
      case .signUp, .signIn: .guessesPerAccount
      case .passwordChange: .guessesPerAccountAndAddress
      case .refresh: .refreshesPerSession
      case .search: .searchesPerPerson
      case .request: .requestsPerPerson
      case .invitation: .invitationsPerPerson
      case .profileChange: .profileChangesPerPerson
      case .calendar: .calendarReadsPerPerson
      case .unknownPhone, .openInvitation, .watch: nil
      }
    }

    /// The budget of an address. An account's budget counts `people-per-address` times here.
    var addressBudget: Budget {
      switch self {
      case .signUp: .signUpsPerAddress
      case .signIn, .refresh, .passwordChange: .signInsPerAddress
      case .search: .searchesPerPerson
      case .request: .requestsPerPerson
      case .invitation: .invitationsPerPerson
      case .profileChange: .profileChangesPerPerson
      case .calendar: .calendarReadsPerPerson
      case .unknownPhone: .unknownPhonesPerAddress
      case .openInvitation: .openedInvitationsPerAddress
      case .watch: .watchReadsPerAddress
      }
    }
  }

  static let period = 300.0

  package let budgets: BudgetKeeper
  private let store: any RateLimitStore

  /// - Parameter store: Counts in memory unless it says otherwise.
  package init(budgets: BudgetKeeper, store: any RateLimitStore = LocalRateLimitStore()) {
    self.budgets = budgets
    self.store = store
  }

  /// Takes one request from all buckets, or from none.
  ///
  /// - Parameters:
  ///   - address: nil, as on a Unix socket, is not limited.
  ///   - account: Identifies an account, a session or the address of a calendar that there is; nil
  ///     for a name that a stranger may have made up.
  /// - Returns: Seconds until the next request is accepted; nil if this one is.
  /// - Throws: `StorageFailure`.
  package func delay(
    _ kind: Kind, address: ClientAddress? = nil, account: String? = nil, at now: WireTime = .steady
  ) async throws -> Int? {
    var requests: [BucketRequest] = []
    if let address {
      requests.append(
        BucketRequest(
          name: .address(kind, address.group), budget: kind.addressBudget,
          size: addressSize(kind), table: .addresses))
    }
    if let account, let budget = kind.accountBudget {
      requests.append(
        BucketRequest(name: .account(kind, account), budget: budget, size: budgets[budget]))
    }
    return try await take(requests, at: now)
  }

  private func take(_ requests: [BucketRequest], at now: WireTime) async throws -> Int? {
    let requests = requests.filter { $0.size < Budgets.largest }
    while true {
      switch store.take(requests, at: now) {
      case .taken: return nil
      case .refused(let refusal): return refused(refusal)
      case .short:
        if let refusal = try await store.refill(requests) { return refused(refusal) }
      }
    }
  }

  private func refused(_ refusal: BucketRefusal) -> Int {
    budgets.didRefuse(refusal.budget)
    return refusal.delay
  }

  // MARK: - Writes

  /// The bucket has to be filled before the write can be counted.
  struct Shortage: Error {
    fileprivate let request: BucketRequest
  }

  /// Takes one write from a user's bucket, within a transaction.
  ///
  /// - Parameters:
  ///   - budget: So many a minute.
  ///   - share: The fraction of it that the user has; see `AccountAge`.
  /// - Throws: `RateRefusal`; `Shortage`, which `replenishing` expects.
  package func take(
    _ budget: Budget, of person: String, share: Double, at now: WireTime = .steady
  ) throws {
    let size = budgets[budget]
    guard size < Budgets.largest else { return }
    let request = BucketRequest(
      name: .writes(budget, person), budget: budget, size: max(1, Int(Double(size) * share)),
      period: 60)
    switch store.take([request], at: now) {
    case .taken: return
    case .refused(let refusal): throw RateRefusal(delay: refused(refusal))
    case .short: throw Shortage(request: request)
    }
  }

  /// Gives a write back that turned out to be none.
  func giveBack(_ budget: Budget, of person: String) async throws {
    let size = budgets[budget]
    guard size < Budgets.largest else { return }
    try await store.giveBack([
      BucketRequest(name: .writes(budget, person), budget: budget, size: size, period: 60)
    ])
  }

  /// Runs `body` again after each `Shortage`.
  ///
  /// - Throws: `RateRefusal`, and what `body` throws.
  package func replenishing<T>(_ body: () async throws -> T) async throws -> T {
    while true {
      do {
        return try await body()
      } catch let shortage as Shortage {
        if let refusal = try await store.refill([shortage.request]) {
          throw RateRefusal(delay: refused(refusal))
        }
      }
    }
  }

  /// An address has the budget of one user times `people-per-address`.
  private func addressSize(_ kind: Kind) -> Int {
    let size = budgets[kind.addressBudget]
    guard kind.addressBudget == kind.accountBudget else { return size }
    let (product, isTooLarge) = size.multipliedReportingOverflow(by: budgets[.peoplePerAddress])
    return isTooLarge ? Budgets.largest : product
  }

  // MARK: - Guesses at a password

  /// Takes one password guess from the bucket of this account at this address, and from the larger
  /// one of the account.
  ///
  /// For an address from which the account has signed in before, only the first bucket counts:
  /// guesses from elsewhere do not lock the owner out.
  ///
  /// - Parameter isAccount: Whether there is such an account. Guesses at names that somebody made up
  ///   are counted alike, and push out none at an account.
  /// - Returns: As `delay`.
  /// - Throws: `StorageFailure`.
  package func guessDelay(
    _ kind: Kind, account: String, isAccount: Bool = true, address: ClientAddress?,
    at now: WireTime = .steady
  ) async throws -> Int? {
    let table = isAccount ? BucketTable.guesses : .madeUpNames
    return try await take(
      guessBuckets(kind, account: account, address: address, in: table), at: now)
  }

  /// Refunds a correct guess, and remembers the address.
  package func didEnter(_ kind: Kind, account: String, from address: ClientAddress?) async throws {
    let requests = try await guessBuckets(kind, account: account, address: address, in: .guesses)
    try await store.giveBack(requests.filter { $0.size < Budgets.largest })
    try await remember(account: account, at: address)
  }

  /// Remembers an address of the account's owner.
  package func remember(account: String, at address: ClientAddress?) async throws {
    try await store.remember(address?.group, of: account)
  }

  private func guessBuckets(
    _ kind: Kind, account: String, address: ClientAddress?, in table: BucketTable
  ) async throws -> [BucketRequest] {
    let address = address?.group
    let here = BucketRequest(
      name: .accountAt(kind, account, address), budget: .guessesPerAccountAndAddress,
      size: budgets[.guessesPerAccountAndAddress], table: table)
    if try await store.isKnown(address, of: account) { return [here] }
    let everywhere = BucketRequest(
      name: .account(kind, account), budget: .guessesPerAccount,
      size: budgets[.guessesPerAccount], table: table)
    return [here, everywhere]
  }
}

/// Too many requests under `/rest/v1`: 429 with `Retry-After`.
package struct RateRefusal: Error, Hashable, Sendable {
  /// Seconds until the next request is accepted.
  package var delay: Int

  package init(delay: Int) { self.delay = delay }

  package var failure: FunctionFailure {
    FunctionFailure(
      code: FunctionFailure.rateLimited, message: "Request rate limit reached",
      details: "Try again in \(delay) s.")
  }
}
