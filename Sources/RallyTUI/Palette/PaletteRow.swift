import RallyDomain
import TerminalKit

/// A row of the palette: the name with the matched letters highlighted, and what it is.
struct PaletteRow {
  let item: PaletteItem
  let query: FuzzyQuery
  /// In cells.
  let width: Int
  let isSelected: Bool

  @MainActor var line: Line {
    let note = item.note.truncated(toCells: max(0, width * 2 / 5))
    let room = max(0, width - 4 - note.cellWidth - 1)
    let isUsable = item.disabledReason == nil
    let title = item.title.truncated(toCells: room)
    let rest = max(0, room - title.cellWidth - 2)
    let detail = (item.disabledReason ?? item.detail).truncated(toCells: rest)
    let found = query.isEmpty ? [] : query.matches(in: item.searched) ?? []
    let offset = item.title.count + 1
    let foundInDetail = isUsable ? Set(found.filter { $0 >= offset }.map { $0 - offset }) : []
    let used = title.cellWidth + (detail.isEmpty ? 0 : 2 + detail.cellWidth)
    return Line(
      [
        Span(isSelected ? "▸" : " "), Span(" "),
        Span(item.glyph, isUsable ? item.glyphStyle : .dim), Span(" "),
      ]
        + Self.spans(title, found, isUsable ? .normal : .dim)
        + (detail.isEmpty ? [] : [Span("  ")] + Self.spans(detail, foundInDetail, .dim))
        + [
          Span(String(repeating: " ", count: max(0, room - used) + 1)), Span(note, .dim),
        ])
  }

  /// Shows matched letters bold and underlined, so that they are visible without colour.
  static func spans(_ text: String, _ found: Set<Int>, _ style: Style) -> [Span] {
    guard !found.isEmpty else { return [Span(text, style)] }
    var spans: [Span] = []
    var run = ""
    var isFoundRun = false
    for (index, character) in text.enumerated() {
      let isFound = found.contains(index) && character != "…"
      if isFound != isFoundRun, !run.isEmpty {
        spans.append(Span(run, isFoundRun ? .accent.bold.underline : style))
        run = ""
      }
      isFoundRun = isFound
      run.append(character)
    }
    return spans + [Span(run, isFoundRun ? .accent.bold.underline : style)]
  }
}
