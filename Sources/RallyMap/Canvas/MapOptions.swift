import FoundationEssentials

/// Rendering options of a frame.
public struct MapOptions: Hashable, Sendable {
  /// How areas (land, water, parks, buildings) are distinguished.
  public enum FillStyle: Hashable, Sendable {
    /// Patterns of dots, for terminals with few colours; land is shown by its coast.
    case stipple
    /// `MapCell.fill` and `MapCell.upperFill` only: the caller paints the background.
    case background
    /// Lines only; `MapCell.fill` is still set.
    case none
  }

  public var glyphs: GlyphSet
  public var fillStyle: FillStyle
  /// The time for which night is shaded, below the zooms of streets; nil for no shading.
  public var night: Date?
  /// Whether large cities are lit at night where no areas are painted: dots that only a colour of
  /// their own tells from islands.
  public var showsLights: Bool
  /// Country names.
  public var showsCountries: Bool
  /// Cities and their names.
  public var showsCities: Bool
  /// Borders of countries and states.
  public var showsBorders: Bool
  /// Marker labels; the markers themselves are always shown.
  public var showsMarkerLabels: Bool
  /// Edge arrows that point to markers out of view.
  public var showsArrows: Bool
  /// Whether nearby markers are merged.
  public var clustersMarkers: Bool
  /// Offset to the level of detail chosen for the zoom: -1 is one level coarser (for a device under
  /// load), 1 one level finer.
  public var detailBias: Int
  /// Where distances in edge arrows are measured from; nil for the view's centre.
  public var distanceOrigin: GeoPoint?

  public init(
    glyphs: GlyphSet = .braille, fillStyle: FillStyle = .stipple, night: Date? = nil,
    showsLights: Bool = false, showsCountries: Bool = true, showsCities: Bool = true,
    showsBorders: Bool = true, showsMarkerLabels: Bool = true, showsArrows: Bool = true,
    clustersMarkers: Bool = true, detailBias: Int = 0, distanceOrigin: GeoPoint? = nil
  ) {
    self.glyphs = glyphs
    self.fillStyle = fillStyle
    self.night = night
    self.showsLights = showsLights
    self.showsCountries = showsCountries
    self.showsCities = showsCities
    self.showsBorders = showsBorders
    self.showsMarkerLabels = showsMarkerLabels
    self.showsArrows = showsArrows
    self.clustersMarkers = clustersMarkers
    self.detailBias = detailBias
    self.distanceOrigin = distanceOrigin
  }
}

/// The characters that represent the dots of a cell.
public enum GlyphSet: String, Hashable, Sendable, CaseIterable {
  /// Braille patterns: 2 × 4 dots per cell.
  case braille
  /// Sextants: blocks of 2 × 3 dots per cell, without gaps (Unicode 13).
  case sextants
  /// Quadrant blocks: 2 × 2 dots per cell, for fonts without braille.
  case blocks
  /// ASCII characters that resemble the dots.
  case ascii
}
