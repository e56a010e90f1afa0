import Synchronization

/// The budgets of one server: the default values and the operator's changes.
public struct Budgets: Hashable, Sendable {
  /// Larger than anything that is counted.
  public static let largest = 1_000_000_000_000

  private var changed: [Budget: Int]

  /// - Parameter changed: Values other than the standard ones.
  public init(_ changed: [Budget: Int] = [:]) { self.changed = changed }

  public static let standard = Budgets()

  /// Without rate limits, for benchmarks and the demo, where one machine simulates all users.
  public static var withoutRates: Budgets {
    var budgets = Budgets()
    for budget in Budget.allCases where budget.isRate { budgets[budget] = largest }
    return budgets
  }

  public subscript(budget: Budget) -> Int {
    get { changed[budget] ?? budget.row.standard }
    set { changed[budget] = newValue }
  }
}

extension Budgets {
  /// Why `NAME=VALUE` is invalid.
  public enum Problem: Error, Hashable, Sendable {
    /// There is no `=` in it.
    case noAssignment(String)
    case unknownName(String)
    /// No whole number from 1 to `largest`.
    case badValue(String, of: Budget)
  }

  /// Changes one budget as `NAME=VALUE` says.
  ///
  /// - Throws: `Problem`; then nothing is changed.
  public mutating func apply(_ text: String) throws(Problem) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .noAssignment(text) }
    guard let budget = Budget(rawValue: String(parts[0])) else {
      throw .unknownName(String(parts[0]))
    }
    guard let value = Int(parts[1]), (1...Budgets.largest).contains(value) else {
      throw .badValue(String(parts[1]), of: budget)
    }
    self[budget] = value
  }
}

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
