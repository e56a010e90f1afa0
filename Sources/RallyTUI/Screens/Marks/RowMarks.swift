import Foundation
import Observation

/// Which rows of a tab's lists are marked, to be acted on together.
///
/// Marks are kept by id: they stay while rows come and go around them, and while a filter hides them.
@MainActor
@Observable
final class RowMarks {
  private(set) var ids: Set<UUID> = []
  /// Where a range begins that is being drawn; nil when none is.
  private(set) var rangeStart: UUID?
  /// What was marked before the range.
  @ObservationIgnored private var outside: Set<UUID> = []

  func contains(_ id: UUID) -> Bool { ids.contains(id) }

  /// Marks a row, or not after all; a range that is drawn is done.
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

  /// The range reaches over these rows now.
  func stretchRange(over rows: [UUID]) {
    guard rangeStart != nil else { return }
    let marked = outside.union(rows)
    if marked != ids { ids = marked }
  }

  /// Those with whom the act was done are marked no more.
  func remove(_ done: some Sequence<UUID>) {
    let left = ids.subtracting(done)
    if left != ids { ids = left }
  }

  func clear() {
    rangeStart = nil
    if !ids.isEmpty { ids = [] }
  }
}

/// The rows of a list in their order, as far as marking needs it.
struct RowOrder {
  var count: Int
  /// Nil for rows that cannot be marked.
  var id: @MainActor (Int) -> UUID?
  var position: @MainActor (UUID) -> Int?
}
