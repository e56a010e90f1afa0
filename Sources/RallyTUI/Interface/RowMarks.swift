import FoundationEssentials
import Observation
import TerminalKit

/// The marked rows of a tab's lists, for bulk actions.
///
/// Marks are stored by id: they stay while other rows change, and while a filter hides the row.
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

/// Registers the actions that mark rows or ranges of rows; draws nothing.
struct MarkActions: View {
  let marks: RowMarks
  let rows: RowOrder
  let selection: Binding<UUID?>

  var body: some View {
    EmptyView()
      .actions(Self.all, in: self)
      // Without a range a move of the selection changes nothing here.
      .onChange(of: marks.rangeStart == nil ? nil : selection.wrappedValue) { stretch(to: $1) }
  }

  /// A list with rows selects one of them.
  private var nothingSelected: String? { rows.count == 0 ? "Nothing is selected." : nil }

  private var isMarking: Bool { !marks.ids.isEmpty || marks.rangeStart != nil }

  /// Marks the row and selects the next one, so that the key can be held down.
  private func markRow() {
    guard let id = selection.wrappedValue else { return }
    marks.toggle(id)
    guard let position = rows.position(id) else { return }
    let next = ((position + 1)..<max(position + 1, rows.count)).lazy.compactMap { rows.id($0) }
      .first
    if let next { selection.wrappedValue = next }
  }

  private func toggleRange() {
    guard let id = selection.wrappedValue else { return }
    if marks.rangeStart == nil { marks.beginRange(at: id) } else { marks.endRange() }
  }

  private func stretch(to id: UUID?) {
    guard let start = marks.rangeStart, let id, let first = rows.position(start),
      let last = rows.position(id)
    else { return }
    marks.stretchRange(over: (min(first, last)...max(first, last)).compactMap { rows.id($0) })
  }
}

extension MarkActions {
  static let mark = FeatureAction<Self>(
    id: "mark",
    summary: "Mark or unmark the row; actions then apply to all marked rows.",
    keys: ["Space"], section: "Lists", footer: 410, disabled: { $0.nothingSelected },
    run: { $0.markRow() })

  static let all: [FeatureAction<Self>] = [
    mark,
    FeatureAction(
      id: "mark-range", title: "range",
      summary: "Mark all rows from here to the selection as it moves; again ends it.", keys: ["v"],
      section: "Lists", footer: 420, disabled: { $0.nothingSelected }, run: { $0.toggleRange() }),
    FeatureAction(.back, shown: { $0.isMarking }, run: { $0.marks.clear() }),
  ]
}
