import RallyWire
import Synchronization

/// How many requests one client address may make.
public struct RateLimits: Hashable, Sendable {
  /// Sign-ups in five minutes.
  public var signUps: Int
  /// Sign-ins and refreshes in five minutes.
  public var tokens: Int

  public init(signUps: Int, tokens: Int) {
    self.signUps = signUps
    self.tokens = tokens
  }

  /// Generous: a whole group may sit behind one address.
  public static let standard = RateLimits(signUps: 300, tokens: 1500)
}

/// Token buckets, one for each client address and kind of request.
final class RateLimiter: Sendable {
  enum Kind: Hashable, Sendable {
    case signUp, token
  }

  private struct Key: Hashable {
    var address: String
    var kind: Kind
  }

  private struct Bucket {
    var tokens: Double
    var filledAt: WireTime
  }

  private static let period = 300.0
  /// Full buckets say nothing and are dropped when there are this many.
  private static let capacity = 10_000

  private let limits: RateLimits?
  private let buckets = Mutex<[Key: Bucket]>([:])

  init(limits: RateLimits?) { self.limits = limits }

  /// Takes one request out of the bucket.
  ///
  /// - Parameter address: nil, as on a Unix socket, is not limited.
  /// - Returns: Seconds until the next request is welcome; nil when this one is.
  func delay(_ kind: Kind, address: String?, at now: WireTime = .now) -> Int? {
    guard let limits, let address else { return nil }
    let size = Double(kind == .signUp ? limits.signUps : limits.tokens)
    let rate = size / RateLimiter.period
    return buckets.withLock { buckets in
      if buckets.count >= RateLimiter.capacity {
        buckets = buckets.filter { Self.level($0.value, rate: rate, now: now) < size }
      }
      let key = Key(address: address, kind: kind)
      var bucket = buckets[key] ?? Bucket(tokens: size, filledAt: now)
      bucket.tokens = min(size, Self.level(bucket, rate: rate, now: now))
      bucket.filledAt = now
      defer { buckets[key] = bucket }
      guard bucket.tokens >= 1 else {
        return max(1, Int(((1 - bucket.tokens) / rate).rounded(.up)))
      }
      bucket.tokens -= 1
      return nil
    }
  }

  private static func level(_ bucket: Bucket, rate: Double, now: WireTime) -> Double {
    let seconds = Double(now.microseconds - bucket.filledAt.microseconds) / 1_000_000
    return bucket.tokens + max(0, seconds) * rate
  }
}
