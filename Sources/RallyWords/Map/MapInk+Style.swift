import RallyDomain
import RallyMap
import TerminalKit

extension MapFrame {
  /// The look of one of its cells.
  package func style(of cell: MapCell) -> Style { paintsAreas ? cell.paintedStyle : cell.style }

  /// What is drawn for a cell after its left neighbour, with as few changes of colour as possible.
  /// The foreground of a blank is not seen, and two halves can be drawn by either of two glyphs.
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
    // Night is shown by the area, which darkens.
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
      // Without colours patterns would be as bright as the streets that they surround.
      case .green: Style(.mapGreen).dim
      case .water: Style(.mapLake).dim
      case .waterway: Style(.mapLake)
      case .building: Style(.mapBuilding).dim
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
      case .arrow: tagged == .fresh ? Style(.mapLiveName) : tagged.style
      case .markerLabel: tagged.labelStyle
      case .marker: tagged == .old ? tagged.style : tagged.style.bold
      case .initial: Style(tagged == .fresh ? .mapPinFresh : .mapPin).bold
      }
    guard isNight, ink != .outside, ink <= .border else { return style }
    // Dimmed, the coast, which alone parts land from sea, is lost on black and on white.
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

extension GlyphSet {
  /// What the map is drawn with, by what the person wants or by what the terminal can show.
  ///
  /// - Parameter environment: Read for `TERM` and for the locale. Where no locale is set at all UTF-8
  ///   is taken for granted, as everywhere in Rally.
  public init(_ setting: MapGlyphSetting, environment: [String: String]) {
    switch setting {
    case .braille: self = .braille
    case .sextants: self = .sextants
    case .blocks: self = .blocks
    case .ascii: self = .ascii
    case .auto:
      let isPoor =
        TerminalCapabilities.isLimited(type: environment["TERM", default: ""])
        || !TerminalCapabilities.isUnicode(environment)
      self = isPoor ? .ascii : .braille
    }
  }
}

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
    return groundAttribution.isEmpty ? nil : Self.attribution(groundAttribution, cells: room)
  }

  /// As many words of an attribution as there is room for, whole ones: `© OpenStreetMap`.
  package static func attribution(_ text: String, cells room: Int) -> String {
    var words = text.split(separator: " ")
    var shown = text
    while shown.cellWidth > room, words.count > 2 {
      words.removeLast()
      shown = words.joined(separator: " ")
      while let last = shown.last, " ,©".contains(last) { shown.removeLast() }
    }
    return shown.truncated(toCells: room)
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
