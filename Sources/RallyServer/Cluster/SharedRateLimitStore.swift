import RallyWire
import Synchronization

/// Counts for all servers on a PostgreSQL database.
///
/// Guesses at passwords are counted there one by one. Of other buckets a server takes a part at a
/// time, which it spends from memory: the servers together allow no more than one would, and most
/// requests wait for no database.
final class SharedRateLimitStore: RateLimitStore {
  /// A bucket gives so many parts.
  private static let parts = 16
  /// What is not spent by then is lost to the server; the bucket has filled up meanwhile.
  private static let partLife = Duration.seconds(30)
  private static let capacity = 16_384

  private struct Part {
    var tokens: Int
    let until: ContinuousClock.Instant
  }

  private let storage: Storage
  private let keys: KeyRing
  private let parts = Mutex(RecentTable<BucketName, Part>(capacity: capacity))
  /// What the database knows, too.
  private let known = Mutex(KnownAddresses())

  init(storage: Storage, keys: KeyRing) {
    self.storage = storage
    self.keys = keys
  }

  func take(_ requests: [BucketRequest], at now: WireTime) -> BucketAnswer {
    let now = ContinuousClock.now
    return parts.withLock { parts in
      let own = requests.map { parts[$0.name] }
      guard own.allSatisfy({ $0.map { $0.tokens > 0 && now < $0.until } == true }) else {
        return .short
      }
      for (part, request) in zip(own, requests) {
        guard var part else { continue }
        part.tokens -= 1
        parts[request.name] = part
      }
      return .taken
    }
  }

  func refill(_ requests: [BucketRequest]) async throws -> BucketRefusal? {
    let now = ContinuousClock.now
    let missing = parts.withLock { parts in
      requests.filter { request in
        parts[request.name].map { $0.tokens > 0 && now < $0.until } != true
      }
    }
    // Always in the same order, so that two servers never wait for each other.
    let wanted = missing.map { (digest: digest($0.name), request: $0) }
      .sorted { $0.digest < $1.digest }
    let answer = try await storage.count { database -> Result<[Int], BucketRefused> in
      var buckets: [TokenBucket] = []
      for (digest, request) in wanted {
        buckets.append(try BucketRecords.locked(digest, for: request, in: database))
      }
      let requests = wanted.map(\.request)
      if let refusal = BucketRefusal(zip(buckets, requests)) {
        return .failure(BucketRefused(refusal: refusal))
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
    case .failure(let refused): return refused.refusal
    case .success(let granted):
      parts.withLock { parts in
        for ((_, request), tokens) in zip(wanted, granted) {
          let rest = parts[request.name].map { now < $0.until ? $0.tokens : 0 } ?? 0
          parts[request.name] = Part(
            tokens: rest + tokens, until: now + SharedRateLimitStore.partLife)
        }
      }
      return nil
    }
  }

  private struct BucketRefused: Error {
    let refusal: BucketRefusal
  }

  private static func part(of request: BucketRequest) -> Int {
    switch request.budget {
    case .guessesPerAccount, .guessesPerAccountAndAddress: 1
    default: max(1, request.size / parts)
    }
  }

  func giveBack(_ requests: [BucketRequest]) async throws {
    guard !requests.isEmpty else { return }
    let wanted = requests.map { (digest: digest($0.name), request: $0) }
      .sorted { $0.digest < $1.digest }
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
    Base64URL.encode(
      Sodium.hmac("rally limits \(text)".utf8, key: keys.current.secret).prefix(16))
  }
}
