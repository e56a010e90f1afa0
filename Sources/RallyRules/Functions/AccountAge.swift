import RallyStorage
import RallyWire

/// The age of an account, which reduces its budgets: creating many accounts does not pay.
enum AccountAge: Hashable, Sendable {
  /// The first 24 hours.
  case firstDay
  /// The next 48 hours.
  case firstDays
  case older

  /// - Throws: `StorageFailure` for a damaged row.
  init(of person: String, at time: WireTime, in database: Database) throws {
    let created = try Int64.fetchOne(
      database, sql: "SELECT created_at FROM users WHERE id = ?", arguments: [person])
    let days = time.since(WireTime(microseconds: created ?? .min / 2)) / .seconds(86_400)
    self = days < 1 ? .firstDay : days < 3 ? .firstDays : .older
  }

  var share: Double {
    switch self {
    case .firstDay: 1 / 3
    case .firstDays: 2 / 3
    case .older: 1
    }
  }
}
