import RallyWire

// What people keep in the database.
extension BudgetKeeper {
  /// Bytes that every row counts beside its text: ids, times and its places in indexes.
  static let rowBytes = 200

  /// How much of a budget somebody has at their account's age, at least one.
  private func value(
    _ budget: Budget, of person: String, at time: WireTime, in database: Database
  ) throws -> Int {
    guard budget.growsWithAge else { return self[budget] }
    let share = try AccountAge(of: person, at: time, in: database).share
    return max(1, Int((Double(self[budget]) * share).rounded(.up)))
  }

  /// Refuses one row too many.
  ///
  /// - Parameters:
  ///   - count: How many there are.
  ///   - reason: The machine word of the refusal.
  ///   - sentence: What to say, with how many there may be.
  /// - Throws: `FunctionFailure` with the budget's name in its details.
  func requireRoom(
    _ budget: Budget, beside count: Int, of person: String, at time: WireTime,
    in database: Database, reason: FailureReason = .budgetReached, _ sentence: (Int) -> String
  ) throws {
    // The account's age is only asked for where it could matter.
    guard count * 3 >= self[budget] else { return }
    let value = try value(budget, of: person, at: time, in: database)
    guard count >= value else { return }
    didRefuse(budget)
    var failure = FunctionFailure(reason, sentence(value))
    failure.details = "budget=\(budget.rawValue)"
    throw failure
  }

  /// Adds what somebody wrote to what they wrote before.
  ///
  /// - Parameter bytes: Of texts; with `rows` more rows.
  /// - Throws: `budget_reached` when that is more than `bytes-per-person`.
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
