import RallyRules
import RallyStorage
import RallyWire
import Synchronization

/// Counts for all servers on a PostgreSQL database.
///
/// Guesses at passwords are counted there one by one. Of other buckets a server takes a part at a
/// time, which it spends from memory. The servers together allow no more than one would, and most
/// requests wait for no database.
final class SharedRateLimitStore: RateLimitStore {
  /// A bucket gives so many parts.
  private static let parts = 16
  /// What is not spent by then is lost to the server; the bucket has filled up meanwhile.
  private static let partLife = Duration.seconds(30)
  private static let capacity = 16_384

  private struct Part {
    private let tokens: Int
    private let until: ContinuousClock.Instant

    init(tokens: Int, until: ContinuousClock.Instant) {
      (self.tokens, self.until) = (tokens, until)
    }

    func left(at now: ContinuousClock.Instant) -> Int { now < until ? tokens : 0 }

    func withoutOne() -> Part { Part(tokens: tokens - 1, until: until) }
  }

  private let storage: Storage
  private let keys: KeyRing
  /// How long an empty bucket is refused from memory: in between another server may have given a token
  /// back. So guesses, however many, ask the database once in that time.
  private static let refusalLife = Duration.seconds(1)

  /// A bucket that was empty when the database was asked.
  private struct Emptiness {
    let refusal: BucketRefusal
    let since: ContinuousClock.Instant

    /// Nil once the database is to be asked again.
    func refusal(at now: ContinuousClock.Instant) -> BucketRefusal? {
      let age = now - since
      guard age < min(refusalLife, .seconds(refusal.delay)) else { return nil }
      return BucketRefusal(
        budget: refusal.budget, delay: max(1, refusal.delay - Int(age.components.seconds)))
    }
  }

  private let parts = Mutex(RecentTable<BucketName, Part>(capacity: capacity))
  private let empty = Mutex(RecentTable<BucketName, Emptiness>(capacity: capacity))
  /// What the database has, too.
  private let known = Mutex(KnownAddresses())

  init(storage: Storage, keys: KeyRing) {
    self.storage = storage
    self.keys = keys
  }

  func take(_ requests: [BucketRequest], at now: WireTime) -> BucketAnswer {
    let now = ContinuousClock.now
    let refusals = empty.withLock { empty in
      requests.compactMap { empty[$0.name]?.refusal(at: now) }
    }
    if let refusal = refusals.max(by: { $0.delay < $1.delay }) { return .refused(refusal) }
    return parts.withLock { parts in
      let own = requests.compactMap { request in
        parts[request.name].flatMap { $0.left(at: now) > 0 ? (request.name, $0) : nil }
      }
      guard own.count == requests.count else { return .short }
      for (name, part) in own { parts[name] = part.withoutOne() }
      return .taken
    }
  }

  func refill(_ requests: [BucketRequest]) async throws -> BucketRefusal? {
    let now = ContinuousClock.now
    let missing = parts.withLock { parts in
      requests.filter { parts[$0.name]?.left(at: now) ?? 0 == 0 }
    }
    let wanted = inLockOrder(missing)
    let answer = try await storage.count { database -> Result<[Int], Refused> in
      var buckets: [TokenBucket] = []
      for (digest, request) in wanted {
        buckets.append(try BucketRecords.locked(digest, for: request, in: database))
      }
      let requests = wanted.map(\.request)
      if let refusal = BucketRefusal(zip(buckets, requests)) {
        let empty = zip(buckets, requests).compactMap { bucket, request in
          bucket.delay(for: request).map { (request.name, request.budget, $0) }
        }
        return .failure(Refused(whole: refusal, empty: empty))
      }
      return .success(
        try zip(buckets, wanted).map { bucket, wanted in
          let part = min(Int(bucket.tokens), SharedRateLimitStore.part(of: wanted.request))
          var bucket = bucket
          bucket.tokens -= Double(part)
          try BucketRecords.save(bucket, as: wanted.digest, in: database)
          return part
        })
    }
    switch answer {
    case .failure(let refusal):
      empty.withLock { empty in
        for bucket in refusal.empty {
          empty[bucket.name] = Emptiness(
            refusal: BucketRefusal(budget: bucket.budget, delay: bucket.delay), since: now)
        }
      }
      return refusal.whole
    case .success(let granted):
      parts.withLock { parts in
        for ((_, request), tokens) in zip(wanted, granted) {
          let rest = parts[request.name]?.left(at: now) ?? 0
          parts[request.name] = Part(
            tokens: rest + tokens, until: now + SharedRateLimitStore.partLife)
        }
      }
      return nil
    }
  }

  /// A refusal, and the buckets that were empty.
  private struct Refused: Error {
    let whole: BucketRefusal
    let empty: [(name: BucketName, budget: Budget, delay: Int)]
  }

  /// Always in the same order, so that two servers never wait for each other.
  private func inLockOrder(
    _ requests: [BucketRequest]
  ) -> [(digest: String, request: BucketRequest)] {
    requests.map { (digest: digest($0.name), request: $0) }.sorted { $0.digest < $1.digest }
  }

  private static func part(of request: BucketRequest) -> Int {
    switch request.budget {
    case .guessesPerAccount, .guessesPerAccountAndAddress: 1
    default: max(1, request.size / parts)
    }
  }

  func giveBack(_ requests: [BucketRequest]) async throws {
    guard !requests.isEmpty else { return }
    empty.withLock { empty in for request in requests { empty[request.name] = nil } }
    let wanted = inLockOrder(requests)
    try await storage.count { database in
      for (digest, request) in wanted {
        var bucket = try BucketRecords.locked(digest, for: request, in: database)
        bucket.tokens = min(Double(request.size), bucket.tokens + 1)
        try BucketRecords.save(bucket, as: digest, in: database)
      }
    }
  }

  func isKnown(_ address: ClientAddress?, of account: String) async throws -> Bool {
    if known.withLock({ $0.contains(address, of: account) }) { return true }
    let pair = digests(address, of: account)
    return try await storage.read {
      try KnownAddressRecords.contains(pair.address, of: pair.account, in: $0)
    }
  }

  func remember(_ address: ClientAddress?, of account: String) async throws {
    let isNew = known.withLock { known in
      defer { known.insert(address, of: account) }
      return !known.contains(address, of: account)
    }
    guard isNew else { return }
    let pair = digests(address, of: account)
    try await storage.count {
      try KnownAddressRecords.insert(pair.address, of: pair.account, at: .now, in: $0)
    }
  }

  // MARK: - Names in the database

  /// Keyed, so that the database names neither accounts nor addresses.
  private func digest(_ name: BucketName) -> String { digest("\(name)") }

  private func digests(
    _ address: ClientAddress?, of account: String
  ) -> (account: String, address: String) {
    (digest("account \(account)"), digest("address \(account) \(String(describing: address))"))
  }

  private func digest(_ text: String) -> String {
    Base64URL.encode(Sodium.hmac("rally limits \(text)".utf8, key: keys.current.secret).prefix(16))
  }
}

/// The table `buckets`: how much of each rate limit is left. PostgreSQL only.
enum BucketRecords {
  /// A bucket fills up within less than that, so that one without a row is full.
  static let life = Duration.seconds(600)

  /// The bucket at this moment, locked until the transaction ends; a full one if there was none. One
  /// from before the database's clock was put back fills up from now on.
  static func locked(
    _ digest: String, for request: BucketRequest, in database: Database
  ) throws -> TokenBucket {
    let row = try Row.fetchOne(
      database,
      sql: """
        INSERT INTO buckets AS b (digest, tokens, filled_at)
        VALUES (?, CAST(? AS DOUBLE PRECISION), \(PostgresClock.now))
        ON CONFLICT (digest) DO UPDATE SET filled_at = LEAST(b.filled_at, excluded.filled_at)
        RETURNING b.tokens, b.filled_at, \(PostgresClock.now) AS now
        """, arguments: [digest, Double(request.size)])
    guard let row else { throw StorageFailure.damaged("a bucket was not stored") }
    return TokenBucket.filled(
      TokenBucket(tokens: try row["tokens"], filledAt: try row["filled_at"]), for: request,
      at: try row["now"])
  }

  static func save(_ bucket: TokenBucket, as digest: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE buckets SET tokens = ?, filled_at = ? WHERE digest = ?",
      arguments: [bucket.tokens, bucket.filledAt, digest])
  }

  /// By the clock by which they were filled.
  static func trim(in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM buckets WHERE filled_at < \(PostgresClock.now) - CAST(? AS BIGINT)",
      arguments: [Int64(life / .microseconds(1))])
  }
}

/// The table `known_addresses`: from where accounts were entered lately. PostgreSQL only.
enum KnownAddressRecords {
  private static let life = Duration.seconds(90 * 86_400)

  static func contains(
    _ address: String, of account: String, in database: Database
  ) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM known_addresses WHERE account = ? AND address = ?",
      arguments: [account, address]) != nil
  }

  /// Keeps the last `KnownAddresses.perAccount` of an account.
  static func insert(
    _ address: String, of account: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO known_addresses (account, address, at) VALUES (?, ?, ?)
        ON CONFLICT (account, address) DO UPDATE SET at = excluded.at
        """, arguments: [account, address, time])
    try database.execute(
      sql: """
        DELETE FROM known_addresses WHERE account = :account AND address NOT IN (
          SELECT address FROM known_addresses WHERE account = :account
          ORDER BY at DESC LIMIT \(KnownAddresses.perAccount))
        """, arguments: ["account": account])
  }

  static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM known_addresses WHERE at < ?",
      arguments: [time.advanced(by: .zero - life)])
  }
}
