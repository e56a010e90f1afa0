import RallyWire
import Synchronization

/// Token buckets, one for each kind of request and address, and for each kind and account.
///
/// Their number is bounded: what was used least recently is forgotten, which forgives and never
/// punishes the innocent. So a crowd of addresses can buy itself a little more, but neither memory
/// nor anybody else's share.
final class RateLimiter: Sendable {
  enum Kind: Hashable, Sendable, CaseIterable {
    case signUp, signIn, refresh, passwordChange
    /// Functions and tables: see `init(name:)`.
    case search, request, invitation, profileChange

    /// - Parameter name: Of a function or a table; nil for one without a limit of its own.
    init?(name: String) {
      switch name {
      // Whoever reads people by their names searches.
      case SearchPeople.name, ReadableTable.profiles.rawValue: self = .search
      case RequestFriend.name: self = .request
      // Whether a username is taken shows in the answer.
      case UpdateProfile.name: self = .profileChange
      case CreateInvitation.name, FetchInvitation.name, AcceptInvitation.name: self = .invitation
      default: return nil
      }
    }

    /// What one account, person or session may do.
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

    /// What one address may do; the account's own budget stands for so much of it for each of
    /// `people-per-address`.
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

  /// Two generations of buckets: when the young one is full it becomes the old one.
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

  /// Takes one request out of the buckets, or out of none.
  ///
  /// - Parameters:
  ///   - address: nil, as on a Unix socket, is not limited.
  ///   - account: Whatever names the account alone; nil while it is not known.
  /// - Returns: Seconds until the next request is welcome; nil when this one is.
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

  /// Takes one write out of a person's bucket.
  ///
  /// - Parameters:
  ///   - budget: So many a minute.
  ///   - share: How much of it the person has; see `AccountAge`.
  /// - Returns: Seconds until the next one is welcome; nil when this one is.
  func delay(
    _ budget: Budget, of person: String, share: Double, at now: WireTime = .now
  ) -> Int? {
    var hasher = Hasher()
    hasher.combine(budget)
    hasher.combine(person)
    let size = budgets[budget]
    let own = size >= Budgets.largest ? size : max(1, Int(Double(size) * share))
    return take(
      [Wanted(key: hasher.finalize(), budget: budget, size: own, period: 60)], at: now)
  }

  private func take(_ wanted: [Wanted], at now: WireTime) -> Int? {
    let wanted = wanted.filter { $0.size < Budgets.largest }
    let refusal: (budget: Budget, delay: Int)? = table.withLock { table in
      let buckets = wanted.map {
        RateLimiter.filled(
          table[$0.key], size: Double($0.size), period: $0.period, now: now)
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

  /// One bucket that a request is taken out of.
  private struct Wanted {
    var key: Int
    var budget: Budget
    var size: Int
    /// Seconds in which the bucket fills up again.
    var period = RateLimiter.period
  }

  /// An address has what one person has for each of those who may sit behind it.
  private func addressSize(_ kind: Kind) -> Int {
    let size = budgets[kind.addressBudget]
    guard kind.addressBudget == kind.accountBudget else { return size }
    let (product, isTooLarge) = size.multipliedReportingOverflow(by: budgets[.peoplePerAddress])
    return isTooLarge ? Budgets.largest : product
  }

  // MARK: - Guesses at a password

  /// Takes one guess at an account's password: out of the bucket of this account at this address
  /// and out of the larger one of the account as a whole.
  ///
  /// An address from which the account was entered before has the first bucket only: guesses made
  /// elsewhere, however many, never keep the owner out there.
  ///
  /// - Returns: As `delay`.
  func guessDelay(
    _ kind: Kind, account: String, address: ClientAddress?, at now: WireTime = .now
  ) -> Int? {
    take(guessBuckets(kind, account: account, address: address), at: now)
  }

  /// Gives a guess back that was the right password, and remembers the address.
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

  /// Remembers that the owner of an account is at an address.
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

  /// 64 bits, seeded anew by every process: nobody can aim at somebody else's bucket.
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
