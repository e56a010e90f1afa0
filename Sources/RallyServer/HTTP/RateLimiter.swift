import RallyWire
import Synchronization

/// Token buckets, one for each kind of request and address, and for each kind and account.
///
/// Their number is bounded: the least recently used are dropped, that is, refilled. Many addresses
/// can thereby gain some requests, but no memory, and take nothing from others.
final class RateLimiter: Sendable {
  enum Kind: Hashable, Sendable, CaseIterable {
    case signUp, signIn, refresh, passwordChange
    /// Functions and tables: see `init(name:)`.
    case search, request, invitation, profileChange

    /// - Parameter name: Of a function or a table; nil for one without a limit of its own.
    init?(name: String) {
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

    /// The budget of an account or session.
    var accountBudget: Budget {
      switch self {
      case .signUp, .signIn: .guessesPerAccount
      case .passwordChange: .guessesPerAccountAndAddress
      case .refresh: .refreshesPerSession
      case .search: .searchesPerPerson
      case .request: .requestsPerPerson
      case .invitation: .invitationsPerPerson
      case .profileChange: .profileChangesPerPerson
      }
    }

    /// The budget of an address. An account's budget counts `people-per-address` times here.
    var addressBudget: Budget {
      switch self {
      case .signUp: .signUpsPerAddress
      case .signIn, .refresh, .passwordChange: .signInsPerAddress
      case .search, .request, .invitation, .profileChange: accountBudget
      }
    }
  }

  /// Who is counted.
  private enum Subject: Hashable {
    case address(ClientAddress)
    case account(String)
    case accountAt(String, ClientAddress?)
  }

  private struct Bucket {
    var tokens: Double
    var filledAt: WireTime
  }

  /// Two generations of buckets: when the newer one is full it replaces the older one.
  private struct Table {
    private var young: [Int: Bucket] = [:]
    private var old: [Int: Bucket] = [:]

    subscript(key: Int) -> Bucket? {
      get { young[key] ?? old[key] }
      set {
        if young.count >= RateLimiter.capacity {
          old = young
          young = [:]
        }
        young[key] = newValue
      }
    }

    var count: Int { young.count + old.count }
  }

  private static let period = 300.0
  /// Buckets of a generation, 24 bytes each and their place.
  static let capacity = 16_384

  let budgets: BudgetKeeper
  private let table = Mutex(Table())
  private let known = Mutex(KnownAddresses())

  init(budgets: BudgetKeeper) { self.budgets = budgets }

  /// Buckets that are kept.
  var count: Int { table.withLock { $0.count } }

  /// Takes one request from all buckets, or from none.
  ///
  /// - Parameters:
  ///   - address: nil, as on a Unix socket, is not limited.
  ///   - account: Identifies the account; nil if unknown.
  /// - Returns: Seconds until the next request is accepted; nil if this one is.
  func delay(
    _ kind: Kind, address: ClientAddress? = nil, account: String? = nil, at now: WireTime = .now
  ) -> Int? {
    var wanted: [Wanted] = []
    if let address {
      wanted.append(
        Wanted(
          key: key(kind, .address(address.group)), budget: kind.addressBudget,
          size: addressSize(kind)))
    }
    if let account {
      wanted.append(
        Wanted(
          key: key(kind, .account(account)), budget: kind.accountBudget,
          size: budgets[kind.accountBudget]))
    }
    return take(wanted, at: now)
  }

  /// Takes one write from a user's bucket.
  ///
  /// - Parameters:
  ///   - budget: So many a minute.
  ///   - share: The fraction of it that the user has; see `AccountAge`.
  /// - Returns: Seconds until the next write is accepted; nil if this one is.
  func delay(
    _ budget: Budget, of person: String, share: Double, at now: WireTime = .now
  ) -> Int? {
    var hasher = Hasher()
    hasher.combine(budget)
    hasher.combine(person)
    let size = budgets[budget]
    let own = size >= Budgets.largest ? size : max(1, Int(Double(size) * share))
    return take([Wanted(key: hasher.finalize(), budget: budget, size: own, period: 60)], at: now)
  }

  private func take(_ wanted: [Wanted], at now: WireTime) -> Int? {
    let wanted = wanted.filter { $0.size < Budgets.largest }
    let refusal: (budget: Budget, delay: Int)? = table.withLock { table in
      let buckets = wanted.map {
        RateLimiter.filled(table[$0.key], size: Double($0.size), period: $0.period, now: now)
      }
      let refusals = zip(buckets, wanted).compactMap { bucket, wanted in
        bucket.tokens >= 1
          ? nil
          : (
            wanted.budget,
            Int(((1 - bucket.tokens) * wanted.period / Double(wanted.size)).rounded(.up))
          )
      }
      if let refusal = refusals.max(by: { $0.1 < $1.1 }) { return refusal }
      for (var bucket, wanted) in zip(buckets, wanted) {
        bucket.tokens -= 1
        table[wanted.key] = bucket
      }
      return nil
    }
    guard let refusal else { return nil }
    budgets.didRefuse(refusal.budget)
    return max(1, refusal.delay)
  }

  private struct Wanted {
    var key: Int
    var budget: Budget
    var size: Int
    /// Seconds in which an empty bucket is refilled.
    var period = RateLimiter.period
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
  /// - Returns: As `delay`.
  func guessDelay(
    _ kind: Kind, account: String, address: ClientAddress?, at now: WireTime = .now
  ) -> Int? {
    take(guessBuckets(kind, account: account, address: address), at: now)
  }

  /// Refunds a correct guess, and remembers the address.
  func didEnter(_ kind: Kind, account: String, from address: ClientAddress?) {
    let buckets = guessBuckets(kind, account: account, address: address)
    table.withLock { table in
      for wanted in buckets {
        guard var bucket = table[wanted.key] else { continue }
        bucket.tokens = min(Double(wanted.size), bucket.tokens + 1)
        table[wanted.key] = bucket
      }
    }
    remember(account: account, at: address)
  }

  /// Remembers an address of the account's owner.
  func remember(account: String, at address: ClientAddress?) {
    known.withLock { $0.insert(address?.group, of: account) }
  }

  private func guessBuckets(
    _ kind: Kind, account: String, address: ClientAddress?
  ) -> [Wanted] {
    let address = address?.group
    let here = Wanted(
      key: key(kind, .accountAt(account, address)), budget: .guessesPerAccountAndAddress,
      size: budgets[.guessesPerAccountAndAddress])
    guard !known.withLock({ $0.contains(address, of: account) }) else { return [here] }
    let everywhere = Wanted(
      key: key(kind, .account(account)), budget: .guessesPerAccount,
      size: budgets[.guessesPerAccount])
    return [here, everywhere]
  }

  /// 64 bits, seeded per process, so that collisions with another bucket cannot be provoked.
  private func key(_ kind: Kind, _ subject: Subject) -> Int {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(subject)
    return hasher.finalize()
  }

  private static func filled(_ bucket: Bucket?, size: Double, period: Double, now: WireTime)
    -> Bucket
  {
    guard let bucket else { return Bucket(tokens: size, filledAt: now) }
    let seconds = Double(now.microseconds - bucket.filledAt.microseconds) / 1_000_000
    return Bucket(
      tokens: min(size, bucket.tokens + max(0, seconds) * size / period),
      filledAt: max(now, bucket.filledAt))
  }
}
