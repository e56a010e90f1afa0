import RallyMap
import Testing

extension MapFrame {
  /// Everything that has cells of its own, with what it is for a message.
  var taken: [(what: String, span: CellSpan)] {
    pins.map { ("pin \($0.ids[0])", $0.span) }
      + pins.compactMap { pin in pin.label.map { ("label of \(pin.ids[0])", $0) } }
      + names.map { ("name \($0.place)", $0.span) }
      + arrows.map { ("arrow to \($0.ids[0])", $0.span) }
  }

  /// The text of a span.
  func text(of span: CellSpan) -> String {
    String(
      (span.column..<span.column + span.width).compactMap { character(atColumn: $0, row: span.row) }
    )
  }

  /// The name of a city or a country as it stands in the frame.
  func name(_ text: String) -> PlacedName? {
    names.first { self.text(of: $0.span) == text }
  }
}

extension CellSpan {
  /// Whether the two have a cell in common, or would with `margin` more on both sides.
  func overlaps(_ other: CellSpan, margin: Int = 0) -> Bool {
    row == other.row && column - margin < other.column + other.width
      && other.column < column + width + margin
  }

  func isOn(_ frame: MapFrame) -> Bool {
    row >= 0 && row < frame.rows && column >= 0 && column + width <= frame.columns
  }
}
