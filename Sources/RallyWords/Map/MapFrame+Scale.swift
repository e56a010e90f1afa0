import RallyMap
import TerminalKit

extension MapFrame {
  /// The words for the lower left corner: `└─ 4000 km ─┘`; nil where the map is too low for them,
  /// or at a friend's position.
  ///
  /// If the bar is too short for its label, the label is next to it.
  package func scaleText(glyphs: GlyphSet) -> String? {
    guard let text = scaleWords(glyphs) else { return nil }
    let width = text.cellWidth
    let people = pins.flatMap { [$0.span, $0.label].compactMap(\.self) } + arrows.map(\.span)
    return people.contains { $0.row == rows - 1 && $0.column < width } ? nil : text
  }

  /// The words for the lower right corner: who made the tiles, or what brings some; nil for neither,
  /// or without room beside the scale.
  ///
  /// - Parameter missing: What is said without streets, the longest first.
  package func attributionText(
    missing: [String] = ["no streets here: rally map add", "no streets here"]
  ) -> String? {
    // The label may stand beside the bar, and be longer than it.
    let scale = scaleWords(.ascii)?.cellWidth ?? 0
    let room = columns - max(columns / 5, 8, scale) - 2
    guard rows > 4, room >= 12 else { return nil }
    if needsStreets {
      return missing.first { $0.cellWidth <= room }
    }
    return groundAttribution.isEmpty ? nil : groundAttribution.truncated(toCells: room)
  }

  /// The look of the words in the last row: they stand on the area that is painted there.
  package func legendStyle(atColumn column: Int) -> Style {
    let area = style(of: self[column, rows - 1]).backdrop
    // Dim text has too little contrast on some of the areas.
    return area == .none ? .dim : Style(.normal, on: area)
  }

  private func scaleWords(_ glyphs: GlyphSet) -> String? {
    guard rows > 4, let bar = scaleBar else { return nil }
    let (left, line, right) = glyphs == .ascii ? ("|", "-", "|") : ("└", "─", "┘")
    let label = " \(bar.label) "
    let room = bar.cells - 2 - label.cellWidth
    guard room >= 0 else {
      return left + String(repeating: line, count: max(0, bar.cells - 2)) + right + label
    }
    return left + String(repeating: line, count: room / 2) + label
      + String(repeating: line, count: room - room / 2) + right
  }
}
