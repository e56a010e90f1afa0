/// Drawing style of one class of lines near by.
struct GroundLineStyle {
  let kind: GroundKind
  let ink: MapInk
  /// The first `dash.on` of each `dash.period` dots are drawn.
  var dash: (on: Int, period: Int) = (1, 1)
  /// The lowest zoom at which the class is drawn: below it the lines would touch each other.
  let fromZoom: Double
  /// From this zoom on the line is two dots wide.
  var wideFromZoom = Double.infinity

  /// All classes of lines, in drawing order.
  private static let all = [
    GroundLineStyle(kind: .waterway, ink: .waterway, fromZoom: 11),
    GroundLineStyle(kind: .path, ink: .path, dash: (1, 2), fromZoom: 15.5),
    GroundLineStyle(kind: .service, ink: .path, fromZoom: 16),
    GroundLineStyle(kind: .rail, ink: .rail, dash: (2, 3), fromZoom: 11),
    GroundLineStyle(kind: .street, ink: .street, fromZoom: 13.25, wideFromZoom: 17.25),
    GroundLineStyle(kind: .secondary, ink: .secondaryRoad, fromZoom: 11, wideFromZoom: 16),
    GroundLineStyle(kind: .primary, ink: .primaryRoad, fromZoom: 9, wideFromZoom: 14.5),
    GroundLineStyle(kind: .motorway, ink: .motorway, fromZoom: 7, wideFromZoom: 13),
    GroundLineStyle(kind: .regionBoundary, ink: .state, dash: (1, 3), fromZoom: 9),
    GroundLineStyle(kind: .countryBoundary, ink: .border, dash: (2, 3), fromZoom: 9),
  ]

  /// The styles at a zoom, indexed by the raw value of their kind; nil for what is not drawn.
  static func styles(zoom: Double, showsBorders: Bool) -> [GroundLineStyle?] {
    var styles = [GroundLineStyle?](repeating: nil, count: GroundKind.allCases.count)
    for style in all where zoom >= style.fromZoom {
      let isBorder = style.kind >= .regionBoundary
      if showsBorders || !isBorder { styles[Int(style.kind.rawValue)] = style }
    }
    return styles
  }

  func isWide(at zoom: Double) -> Bool { zoom >= wideFromZoom }
}
