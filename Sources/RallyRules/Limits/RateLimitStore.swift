import RallyWire
import Synchronization

/// Whose requests of a kind are counted together.
package enum BucketName: Hashable, Sendable {
  case address(RateLimiter.Kind, ClientAddress)
  case account(RateLimiter.Kind, String)
  case accountAt(RateLimiter.Kind, String, ClientAddress?)
  /// The writes of a person or a phone.
  case writes(Budget, String)
}

/// Buckets that share their room in memory: those of one table never push out those of another.
enum BucketTable: CaseIterable, Sendable {
  /// Of people, phones and sessions that there are.
  case people
  case addresses
  /// Guesses at passwords of accounts.
  case guesses
  /// Guesses at names that no account has.
  case madeUpNames
}

/// A token that a request takes.
package struct BucketRequest: Sendable {
  package let name: BucketName
  package let budget: Budget
  /// Tokens of a full bucket.
  package let size: Int
  /// Seconds in which an empty bucket is refilled.
  var period = RateLimiter.period
  var table = BucketTable.people
}

package struct TokenBucket: Hashable, Sendable {
  package var tokens: Double
  package var filledAt: WireTime

  package init(tokens: Double, filledAt: WireTime) {
    self.tokens = tokens
    self.filledAt = filledAt
  }

  /// The bucket at a later time; a full one if there was none.
  package static func filled(_ bucket: TokenBucket?, for request: BucketRequest, at now: WireTime)
    -> Self
  {
    let size = Double(request.size)
    guard let bucket else { return TokenBucket(tokens: size, filledAt: now) }
    let seconds = Double(now.microseconds - bucket.filledAt.microseconds) / 1_000_000
    return TokenBucket(
      tokens: min(size, bucket.tokens + max(0, seconds) * size / request.period),
      // A clock that was put back neither stops the filling nor repeats it.
      filledAt: now)
  }

  /// Seconds until the bucket has a token; nil if it has one.
  package func delay(for request: BucketRequest) -> Int? {
    guard tokens < 1 else { return nil }
    return max(1, Int(((1 - tokens) * request.period / Double(request.size)).rounded(.up)))
  }
}

package struct BucketRefusal: Error, Hashable {
  package let budget: Budget
  /// Seconds until the next request is accepted.
  package let delay: Int

  package init(budget: Budget, delay: Int) { (self.budget, self.delay) = (budget, delay) }

  /// The refusal that lasts longest; nil if each bucket has a token.
  package init?(_ buckets: some Sequence<(TokenBucket, BucketRequest)>) {
    let delays = buckets.compactMap { bucket, request in
      bucket.delay(for: request).map { (request.budget, $0) }
    }
    guard let (budget, delay) = delays.max(by: { $0.1 < $1.1 }) else { return nil }
    (self.budget, self.delay) = (budget, delay)
  }
}

/// Where rate limits are counted: in this server's memory, or for all servers on a database.
package protocol RateLimitStore: Sendable {
  /// Takes a token from each bucket, or from none, without waiting.
  func take(_ requests: [BucketRequest], at now: WireTime) -> BucketAnswer

  /// Fetches what `take` was short of.
  ///
  /// - Returns: A refusal if a bucket is empty.
  /// - Throws: `StorageFailure`.
  func refill(_ requests: [BucketRequest]) async throws -> BucketRefusal?

  /// Gives a token back to each bucket.
  func giveBack(_ requests: [BucketRequest]) async throws

  /// Whether an account was entered lately from an address.
  func isKnown(_ address: ClientAddress?, of account: String) async throws -> Bool

  func remember(_ address: ClientAddress?, of account: String) async throws
}

package enum BucketAnswer: Sendable {
  case taken
  case refused(BucketRefusal)
  /// `refill` is to be asked first.
  case short
}

/// A dictionary of bounded size: when the younger of two generations is full it replaces the older
/// one, so that the entries used longest ago are forgotten.
package struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Entries of a generation.
  let capacity: Int
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]

  package init(capacity: Int) { self.capacity = capacity }

  package subscript(key: Key) -> Value? {
    get { young[key] ?? old[key] }
    set {
      guard let newValue else {
        (young[key], old[key]) = (nil, nil)
        return
      }
      if young.count >= capacity, young[key] == nil {
        old = young
        young = [:]
      }
      young[key] = newValue
    }
  }

  package var count: Int { young.count + old.count }
}

/// Counts in memory. The number of buckets of each `BucketTable` is bounded: dropped ones are
/// refilled. Many addresses can thereby gain some requests, but no memory, and take nothing from
/// others.
package final class LocalRateLimitStore: RateLimitStore {
  /// Buckets of a generation, 24 bytes each and their place.
  static let capacity = 16_384

  /// By hashes that are seeded per process, so that collisions cannot be provoked.
  private let tables = Mutex(
    Dictionary(
      uniqueKeysWithValues: BucketTable.allCases.map {
        ($0, RecentTable<Int, TokenBucket>(capacity: capacity))
      }))
  private let known = Mutex(KnownAddresses())

  package init() {}

  /// Buckets that are kept.
  package var count: Int { tables.withLock { $0.values.reduce(0) { $0 + $1.count } } }

  package func take(_ requests: [BucketRequest], at now: WireTime) -> BucketAnswer {
    tables.withLock { tables in
      let buckets = requests.map {
        TokenBucket.filled(tables[$0.table]?[$0.name.hashValue], for: $0, at: now)
      }
      if let refusal = BucketRefusal(zip(buckets, requests)) { return .refused(refusal) }
      for (var bucket, request) in zip(buckets, requests) {
        bucket.tokens -= 1
        tables[request.table]?[request.name.hashValue] = bucket
      }
      return .taken
    }
  }

  package func refill(_ requests: [BucketRequest]) -> BucketRefusal? { nil }

  package func giveBack(_ requests: [BucketRequest]) {
    tables.withLock { tables in
      for request in requests {
        guard var bucket = tables[request.table]?[request.name.hashValue] else { continue }
        bucket.tokens = min(Double(request.size), bucket.tokens + 1)
        tables[request.table]?[request.name.hashValue] = bucket
      }
    }
  }

  package func isKnown(_ address: ClientAddress?, of account: String) -> Bool {
    known.withLock { $0.contains(address, of: account) }
  }

  package func remember(_ address: ClientAddress?, of account: String) {
    known.withLock { $0.insert(address, of: account) }
  }
}
