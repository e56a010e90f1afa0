import Foundation
import TerminalKit

/// Registers the actions that mark rows or ranges of rows; draws nothing.
struct MarkActions: View {
  let marks: RowMarks
  let rows: RowOrder
  let selection: Binding<UUID?>

  var body: some View {
    let selected = selection.wrappedValue
    let reason = selected == nil ? "Nothing is selected." : nil
    EmptyView()
      .onActions(
        [
          ActionHandler(.mark, disabled: reason) { mark() },
          ActionHandler(.markRange, disabled: reason) { range() },
        ] + (isMarking ? [ActionHandler(.back) { marks.clear() }] : [])
      )
      .onChange(of: selected) { stretch(to: $1) }
  }

  private var isMarking: Bool { !marks.ids.isEmpty || marks.rangeStart != nil }

  /// Marks the row and selects the next one, so that the key can be held down.
  private func mark() {
    guard let id = selection.wrappedValue else { return }
    marks.toggle(id)
    guard let position = rows.position(id) else { return }
    let next = ((position + 1)..<max(position + 1, rows.count)).lazy.compactMap { rows.id($0) }
      .first
    if let next { selection.wrappedValue = next }
  }

  private func range() {
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
