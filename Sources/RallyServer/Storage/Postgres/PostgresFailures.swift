/// What PostgreSQL's five-letter codes mean for us (PostgreSQL documentation, appendix A).
enum PostgresCode {
  /// Ours for a connection that is gone without a word.
  static let connectionLost = "08006"

  static func kind(_ code: String) -> StorageFailure.Kind {
    switch code {
    case "53100": .full
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

  /// Whether a prepared statement does not fit the tables any more.
  static func isAboutPlans(_ code: String) -> Bool { ["0A000", "26000"].contains(code) }

  /// Whether the words that come with a code may repeat what was to be stored.
  static func quotesValues(_ code: String) -> Bool { code.hasPrefix("22") }
}

/// How often a transaction is tried again, and after what pause.
struct PostgresRetries: Hashable, Sendable {
  /// Tries after another transaction was in the way.
  static let conflicts = 60
  /// Tries after a row was there, or was not, against what was read: the rules decide again with
  /// what they see then. Beyond that it is no race.
  static let constraints = 6
  /// Tries after the server went away.
  static let losses = 25
  /// Tries after the shape of the database changed under a prepared statement.
  static let plans = 2

  private var counts: [StorageFailure.Kind: Int] = [:]
  private var planCount = 0

  /// How long to wait before the next try; nil when there is none.
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
      // Whoever met before does not meet again at the same moment.
      return .microseconds(Int.random(in: 0...min(500 << min(count, 7), 50_000)))
    case .constraint: return count <= Self.constraints ? .microseconds(.random(in: 0...2000)) : nil
    case .unreachable:
      return count <= Self.losses ? .milliseconds(Int.random(in: 50...250)) : nil
    default: return nil
    }
  }
}
