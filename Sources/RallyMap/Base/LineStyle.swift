/// Drawing style of one kind of line.
struct LineStyle {
  let kind: LineKind
  let ink: MapInk
  /// The first `dash.on` of each `dash.period` dots are drawn. Dashes tell borders from coasts on a
  /// terminal without colours.
  let dash: (on: Int, period: Int)
  /// Closed lines smaller than this, in dots, are not drawn as lines.
  var leastRing = 0.0
  /// Segments shorter than this, in dots, are merged with the next one: such coast detail is finer
  /// than the grid.
  let leastStep: Int

  /// State borders are drawn from this zoom on, where states are wider than their border lines.
  static let statesFromZoom = 3.0
  /// Country borders are drawn from this zoom on; on the whole world they would outweigh the
  /// coasts.
  static let bordersFromZoom = 1.75
  private static let coarseBelowZoom = 0.0

  /// Styles in drawing order.
  static func all(zoom: Double, showsBorders: Bool) -> [LineStyle] {
    let shore = zoom >= NearGrid.faintCoastFromZoom ? (on: 1, period: 3) : (on: 1, period: 1)
    // On a small screen the whole world would turn the Arctic islands into one solid blob.
    let isCoarse = zoom < coarseBelowZoom
    let step = isCoarse ? 3 : 2
    var styles = [
      LineStyle(kind: .lake, ink: .lake, dash: shore, leastRing: 5, leastStep: step),
      LineStyle(
        kind: .coast, ink: .coast, dash: shore, leastRing: isCoarse ? 4.5 : 2.5, leastStep: step),
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
