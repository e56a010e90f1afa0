/// How one kind of line is drawn.
struct LineStyle {
  let kind: LineKind
  let ink: MapInk
  /// Of each `dash.period` dots the first `dash.on` are drawn: on a terminal without colours a border
  /// must not look like a coast.
  let dash: (on: Int, period: Int)
  /// Closed lines that are smaller than this, in dots, are not drawn as lines.
  var leastRing = 0.0
  /// Steps that are shorter than this, in dots, wait for the next vertex: they are the noise of a coast
  /// that is finer than the grid.
  let leastStep: Int

  /// Borders of states appear once a state is wider than its own lines.
  static let statesFromZoom = 3.0
  /// Borders of countries on the whole world would be more ink than the continents.
  static let bordersFromZoom = 1.75
  private static let coarseBelowZoom = 0.0

  /// In the order of drawing.
  static func all(zoom: Double, showsBorders: Bool) -> [LineStyle] {
    // With the whole world on a small screen the islands of the Arctic would be one black spot.
    let isCoarse = zoom < coarseBelowZoom
    let step = isCoarse ? 3 : 2
    var styles = [
      LineStyle(kind: .lake, ink: .lake, dash: (1, 1), leastRing: 5, leastStep: step),
      LineStyle(
        kind: .coast, ink: .coast, dash: (1, 1), leastRing: isCoarse ? 4.5 : 2.5, leastStep: step),
    ]
    if showsBorders && zoom >= statesFromZoom {
      styles.append(LineStyle(kind: .state, ink: .state, dash: (1, 2), leastStep: step))
    }
    if showsBorders && zoom >= bordersFromZoom {
      styles.append(LineStyle(kind: .disputed, ink: .disputed, dash: (3, 6), leastStep: step))
      styles.append(LineStyle(kind: .border, ink: .border, dash: (2, 3), leastStep: step))
    }
    return styles
  }
}
