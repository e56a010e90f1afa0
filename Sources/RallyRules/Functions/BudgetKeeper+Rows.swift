import RallyStorage
import RallyWire

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
