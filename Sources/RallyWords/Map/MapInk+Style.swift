import RallyMap
import TerminalKit

extension MapFrame {
  /// The look of one of its cells.
  package func style(of cell: MapCell) -> Style { paintsAreas ? cell.paintedStyle : cell.style }

  /// What is drawn for a cell after its left neighbour, with as few changes of colour as possible:
  /// the foreground of a blank is not seen, and two halves can be drawn by either of two glyphs.
  package func look(of cell: MapCell, after last: Style) -> (scalar: Unicode.Scalar, style: Style) {
    let style = style(of: cell)
    guard style.backdrop != .none else { return (cell.scalar, style) }
    if cell.isBlank || cell.isEdge {
      return (" ", Style(last.role, last.attributes, on: style.backdrop))
    }
    let upper = style.backdrop.over(style.role)
    guard style.role.isFill, upper == last.backdrop else { return (cell.scalar, style) }
    return ("▄", Style(style.backdrop.area, on: upper))
  }
}

extension MapCell {
  /// Whether its lower half alone has an area. No colour is that of the terminal's own background, so
  /// the area takes the whole cell.
  var isEdge: Bool { upperFill != fill && !upperFill.role.isFill }

  /// The look of a cell on a map that paints its areas.
  package var paintedStyle: Style {
    // Of two halves the glyph shows the upper one.
    if upperFill != fill { return Style(upperFill.role, on: backdrop) }
    var style = style
    if ink == .initial { return style }
    // Night is told by the area, which darkens.
    if ink <= .border { style.attributes.remove(.dim) }
    if ink >= .countryLabel {
      // Dim text has too little contrast on some of the areas.
      style.attributes.remove(.dim)
      if style.role == .dim { style.role = .mapOlder }
    }
    style.backdrop = backdrop
    if ink == .coast { style.role = backdrop.light <= .dusk ? .mapCoast : .mapCoastNight }
    return style
  }

  private var backdrop: Backdrop {
    Backdrop(fill.role, night: Int(night), tint: (MapTag(rawValue: disc) ?? .none).tint)
  }

  /// The look of a cell: by what is in it, whose it is, and whether it is night there.
  package var style: Style {
    let tagged = MapTag(rawValue: tag) ?? .none
    let style: Style =
      switch ink {
      case .outside, .sea, .land: .normal
      case .green: Style(.mapGreen)
      case .water, .waterway: Style(.mapLake)
      case .building: Style(.mapBuilding)
      case .unreadable: .dim
      case .grid, .gridLabel, .ring: Style(.mapGrid)
      case .path: Style(.mapPath)
      case .rail: Style(.mapRail)
      case .street: Style(.mapStreet)
      case .secondaryRoad: Style(.mapSecondaryRoad)
      case .primaryRoad: Style(.mapPrimaryRoad)
      case .motorway: Style(.mapMotorway)
      case .waterLabel: Style(.mapWaterName).italic
      case .streetLabel: Style(.mapStreetName)
      case .cityLight: Style(.mapCityLight)
      case .lake: Style(.mapLake)
      case .coast: Style(.mapCoast)
      case .state: Style(.mapState)
      case .border: Style(.mapBorder)
      case .disputed: Style(.mapBorder).dim
      case .oldTrail: .dim
      case .area, .trail: tagged.style.dim
      case .countryLabel: Style(.mapCountry)
      case .cityLabel: isCapital ? Style(.mapCity).bold : Style(.mapCity)
      case .arrow: tagged.style
      case .markerLabel: tagged.labelStyle
      case .marker: tagged == .old ? tagged.style : tagged.style.bold
      case .initial: Style(tagged == .fresh ? .mapPinFresh : .mapPin).bold
      }
    guard isNight, ink != .outside, ink <= .border else { return style }
    // Dimmed, the coast, which alone tells land from sea, is lost on black and on white.
    return ink == .coast ? Style(.mapCoastNight) : style.dim
  }
}

extension MapFill {
  /// What paints the area; `.normal` where only the terminal's own background is wanted.
  package var role: Role {
    switch self {
    case .none, .unreadable: .normal
    case .sea: .fillSea
    case .land: .fillLand
    case .town: .fillTown
    case .park: .fillPark
    case .water: .fillWater
    case .building: .fillBuilding
    }
  }
}
