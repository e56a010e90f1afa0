import FoundationEssentials
import Observation

/// The marked rows of a tab's lists, for bulk actions.
///
/// Marks are stored by id: they stay while other rows change, and while a filter hides the row.
@MainActor
@Observable
final class RowMarks {
  private(set) var ids: Set<UUID> = []
  /// The first row of a range that is being marked; nil if there is none.
  private(set) var rangeStart: UUID?
  /// The rows that were marked before the range.
  @ObservationIgnored private var outside: Set<UUID> = []

  func contains(_ id: UUID) -> Bool { ids.contains(id) }

  /// Marks or unmarks a row; ends a range that is being marked.
  func toggle(_ id: UUID) {
    rangeStart = nil
    if ids.remove(id) == nil { ids.insert(id) }
  }

  func beginRange(at id: UUID) {
    rangeStart = id
    outside = ids
    ids.insert(id)
  }

  func endRange() { rangeStart = nil }

  /// Sets the rows of the range.
  func stretchRange(over rows: [UUID]) {
    guard rangeStart != nil else { return }
    let marked = outside.union(rows)
    if marked != ids { ids = marked }
  }

  /// Unmarks rows after an action succeeded for them.
  func remove(_ done: some Sequence<UUID>) {
    let left = ids.subtracting(done)
    if left != ids { ids = left }
  }

  func clear() {
    rangeStart = nil
    if !ids.isEmpty { ids = [] }
  }
}

/// The order of the rows of a list, as marking needs it.
struct RowOrder {
  var count: Int
  /// Returns nil for rows that cannot be marked.
  var id: @MainActor (Int) -> UUID?
  var position: @MainActor (UUID) -> Int?
}
