import Synchronization

/// What PostgreSQL's five-letter codes mean for us (PostgreSQL documentation, appendix A).
enum PostgresCode {
  /// Rally's code for a lost connection.
  static let connectionLost = "08006"
  /// The server refuses the connection, and will not take it later without somebody's doing.
  static let connectionRefused = "08004"
  /// The server, or a pooler, has no room for another connection.
  static let tooManyConnections = "53300"

  /// The code of a connection that was not made. libpq has words alone, which the server writes after
  /// `FATAL:`.
  static func ofConnecting(_ words: String) -> String {
    let isFull = ["too many", "connection slots", "no more connections"].contains {
      words.contains($0)
    }
    if isFull { return tooManyConnections }
    let isPassing = ["starting up", "shutting down", "recovery", "not yet accepting"].contains {
      words.contains($0)
    }
    return words.contains("FATAL:") && !isPassing ? connectionRefused : connectionLost
  }

  static func kind(_ code: String) -> StorageFailure.Kind {
    switch code {
    case "53100": .full
    case "25006": .readOnly
    case tooManyConnections: .crowded
    case "40001", "40P01", "55P03": .busy
    case "57014": .interrupted
    case "25P02": .aborted
    case "57P01", "57P02", "57P03": .unreachable
    case _ where code.hasPrefix("08"): .unreachable
    case _ where code.hasPrefix("23"): .constraint
    case _ where code.hasPrefix("XX"): .damaged
    default: .other
    }
  }

  /// Whether a prepared statement no longer matches the schema.
  static func isAboutPlans(_ code: String) -> Bool { ["0A000", "26000"].contains(code) }

  /// Whether the message of a code may contain values.
  static func quotesValues(_ code: String) -> Bool { code.hasPrefix("22") }
}

/// How often and when a transaction is retried.
struct PostgresRetries: Hashable, Sendable {
  /// Retries after a conflict with another transaction.
  static let conflicts = 60
  /// Retries after a constraint violation, which a concurrent transaction may have caused.
  static let constraints = 6
  /// Retries after a schema change.
  static let plans = 2

  private var counts: [StorageFailure.Kind: Int] = [:]
  private var planCount = 0

  /// The delay before the next retry; nil if there is none.
  mutating func pause(after code: String) -> Duration? {
    if PostgresCode.isAboutPlans(code) {
      planCount += 1
      return planCount <= Self.plans ? .zero : nil
    }
    let kind = PostgresCode.kind(code)
    let count = counts[kind, default: 0] + 1
    counts[kind] = count
    switch kind {
    case .busy:
      guard count <= Self.conflicts else { return nil }
      // Random, so that the same transactions do not collide again.
      return .microseconds(Int.random(in: 0...min(500 << min(count, 7), 50_000)))
    case .constraint: return count <= Self.constraints ? .microseconds(.random(in: 0...2000)) : nil
    // Another of the address's hosts may take it.
    case .readOnly: return count <= 1 ? .zero : nil
    // `PostgresOutage` says for how long.
    case .unreachable, .crowded: return .milliseconds(Int.random(in: 50...250))
    default: return nil
    }
  }
}

/// An outage of the database, which the jobs of all connections share.
///
/// In its first seconds jobs are retried, which bridges a restart. In a longer one each fails at
/// its first attempt. The waits of the jobs of a request, and of jobs in a queue, would add up to
/// more than a client waits.
final class PostgresOutage: Sendable {
  /// How long jobs are retried.
  private static let bridged = Duration.seconds(4)

  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// An attempt reached the database.
  func end() { start.withLock { $0 = nil } }

  /// An attempt did not reach the database.
  ///
  /// - Returns: Whether jobs are still retried.
  func isBridged() -> Bool {
    start.withLock { start in
      let beginning = start ?? .now
      start = beginning
      return beginning.duration(to: .now) < PostgresOutage.bridged
    }
  }
}
