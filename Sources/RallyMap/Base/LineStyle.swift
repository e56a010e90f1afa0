/// How one kind of line is drawn.
struct LineStyle {
  let kind: LineKind
  let ink: MapInk
  /// Of each `dash.period` dots the first `dash.on` are drawn: on a terminal without colours a border
  /// must not look like a coast.
  let dash: (on: Int, period: Int)
  /// Closed lines that are smaller than this, in dots, are not drawn as lines.
  var leastRing = 0.0

  /// Borders of states appear once a state is wider than its own lines.
  static let statesFromZoom = 3.0
  /// Borders of countries on the whole world would be more ink than the continents.
  static let bordersFromZoom = 1.75

  /// In the order of drawing.
  static func all(zoom: Double, showsBorders: Bool) -> [LineStyle] {
    var styles = [
      LineStyle(kind: .lake, ink: .lake, dash: (1, 1), leastRing: 5),
      LineStyle(kind: .coast, ink: .coast, dash: (1, 1), leastRing: 2.5),
    ]
    if showsBorders && zoom >= statesFromZoom {
      styles.append(LineStyle(kind: .state, ink: .state, dash: (1, 2)))
    }
    if showsBorders && zoom >= bordersFromZoom {
      styles.append(LineStyle(kind: .disputed, ink: .disputed, dash: (3, 6)))
      styles.append(LineStyle(kind: .border, ink: .border, dash: (2, 3)))
    }
    return styles
  }
}
