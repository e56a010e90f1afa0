import Synchronization

/// The budgets of a running server, and how often each refused something.
package final class BudgetKeeper: Sendable {
  private let budgets: Budgets
  private let counts = Mutex<[Budget: Int]>([:])

  package init(_ budgets: Budgets = .standard) { self.budgets = budgets }

  package subscript(budget: Budget) -> Int { budgets[budget] }

  /// Counts a refusal.
  package func didRefuse(_ budget: Budget) { counts.withLock { $0[budget, default: 0] += 1 } }

  /// Whether one more fits; counts a refusal.
  package func allows(_ budget: Budget, beside count: Int) -> Bool {
    guard count >= self[budget] else { return true }
    didRefuse(budget)
    return false
  }

  /// Whether an amount is within the budget; counts a refusal.
  package func allows(_ budget: Budget, of amount: Int) -> Bool {
    guard amount > self[budget] else { return true }
    didRefuse(budget)
    return false
  }

  /// Refusals of each budget since the server started, in the table's order.
  package var refusals: [(budget: Budget, count: Int)] {
    let counts = counts.withLock { $0 }
    return Budget.allCases.map { ($0, counts[$0] ?? 0) }
  }
}
