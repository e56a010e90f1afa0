import RallyStorage
import RallyWire
import Synchronization

/// Charges a mutation to its caller's write budget: once per call, however often its transaction is
/// retried, and not for a repeated `p_client_id`. A long body is charged before it is parsed, and one
/// that cannot be read as well.
final class WriteCharge: Sendable {
  private let budget: Budget?
  private let limiter: RateLimiter
  private let now: @Sendable () -> WireTime
  private let isTaken = Atomic(false)
  private let isSpared = Atomic(false)

  /// - Parameter function: Its name selects the budget.
  init(function: String, limiter: RateLimiter, now: @escaping @Sendable () -> WireTime) {
    budget = Budget.writes(of: function)
    self.limiter = limiter
    self.now = now
  }

  /// - Throws: `RateRefusal` if the budget is used up; `RateLimiter.Shortage`.
  func take(for caller: Caller, in database: Database) throws {
    guard let budget, limiter.budgets[budget] < Budgets.largest,
      !isTaken.load(ordering: .relaxed)
    else { return }
    let share = try AccountAge(of: caller.userID, at: now(), in: database).share
    try limiter.take(budget, of: caller.userID, share: share)
    isTaken.store(true, ordering: .relaxed)
  }

  /// The call turned out to be a repeated one.
  func isRepeat() { isSpared.store(true, ordering: .relaxed) }

  /// Gives back what was taken for a repeated call, after its transaction.
  func settle(for caller: Caller) async throws {
    guard let budget, isTaken.load(ordering: .relaxed), isSpared.load(ordering: .relaxed) else {
      return
    }
    try await limiter.giveBack(budget, of: caller.userID)
  }
}

extension Budget {
  /// The write budget of a function; nil for reads and for functions that `RateLimiter.Kind`
  /// counts.
  static func writes(of function: String) -> Budget? {
    switch function {
    case CreateMission.name: .missionsPerMinute
    case SayInMission.name: .messagesPerMinute
    case UpdateMission.name, CancelMission.name, CompleteMission.name, SkipOccurrence.name,
      JoinMission.name, LeaveMission.name, InviteToMission.name, CheckIn.name:
      .missionChangesPerMinute
    case RespondToFriendRequest.name, CancelFriendRequest.name, RemoveFriend.name,
      BlockUser.name, UnblockUser.name, RevokeInvitation.name, CloseLocationAsk.name,
      SetGhost.name:
      .friendChangesPerMinute
    case AskLocation.name: .asksPerMinute
    case PublishLocations.name, WithdrawLocation.name, SetLocationSharing.name,
      SetPrivacyRules.name, AddPhone.name, RevokePhone.name, AddSSHKey.name,
      RemoveSSHKey.name, MakeCalendarAddress.name, RevokeCalendarAddress.name, BeginOnMyWay.name,
      EndOnMyWay.name, MakeWatchLink.name, FeedWatchLink.name, EndWatchLinks.name:
      .positionsPerMinute
    default: nil
    }
  }
}

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

// Budgets of stored rows and bytes.
extension BudgetKeeper {
  /// Bytes counted per row besides its text, for ids, times and indexes.
  static let rowBytes = 200

  /// A budget's value for the age of the account, at least one.
  private func value(
    _ budget: Budget, of person: String, at time: WireTime, in database: Database
  ) throws -> Int {
    guard budget.growsWithAge else { return self[budget] }
    let share = try AccountAge(of: person, at: time, in: database).share
    return max(1, Int((Double(self[budget]) * share).rounded(.up)))
  }

  /// Requires room for one more row.
  ///
  /// - Parameters:
  ///   - count: The current number of rows.
  ///   - reason: The error code.
  ///   - sentence: The message; takes the limit.
  /// - Throws: `FunctionFailure` with the budget's name in its details.
  func requireRoom(
    _ budget: Budget, beside count: Int, of person: String, at time: WireTime,
    in database: Database, reason: FailureReason = .budgetReached, _ sentence: (Int) -> String
  ) throws {
    // The account's age is only read where it can matter.
    guard count * 3 >= self[budget] else { return }
    let value = try value(budget, of: person, at: time, in: database)
    guard count >= value else { return }
    didRefuse(budget)
    var failure = FunctionFailure(reason, sentence(value))
    failure.details = "budget=\(budget.rawValue)"
    throw failure
  }

  /// Charges stored text to a user.
  ///
  /// - Parameter bytes: Bytes of text, in `rows` new rows.
  /// - Throws: `budget_reached` if the sum exceeds `bytes-per-person`.
  func charge(
    _ bytes: Int, rows: Int = 1, to person: String, at time: WireTime, in database: Database
  ) throws {
    let size = bytes + rows * BudgetKeeper.rowBytes
    guard size > 0 else { return }
    let written = try WrittenRecords.bytes(of: person, in: database)
    try requireRoom(
      .bytesPerPerson, beside: written + size - 1, of: person, at: time, in: database
    ) { value in
      "You have written as much as one person may keep here (\(value / 1_000_000) MB);"
        + " what is there stays readable."
    }
    try WrittenRecords.add(size, to: person, in: database)
  }
}
