import Foundation

/// How a frame is drawn.
public struct MapOptions: Hashable, Sendable {
  /// How land is told from the sea.
  public enum LandFill: Hashable, Sendable {
    /// By sparse dots, for terminals with few colours.
    case stipple
    /// By `MapCell.isLand` alone: the caller paints the background.
    case background
    /// By the coast alone; `MapCell.isLand` is still right.
    case none
  }

  public var glyphs: GlyphSet
  public var landFill: LandFill
  /// The moment whose night is shown; nil shows none.
  public var night: Date?
  /// Names of countries.
  public var showsCountries: Bool
  /// Cities with their names.
  public var showsCities: Bool
  /// Borders of countries and states.
  public var showsBorders: Bool
  /// The words beside markers; the markers themselves are always shown.
  public var showsMarkerLabels: Bool
  /// Arrows at the edge toward markers that are out of view.
  public var showsArrows: Bool
  /// Markers close to each other become one.
  public var clustersMarkers: Bool
  /// Steps of detail: -1 draws coarser lines than the zoom deserves (a device under strain), 1 finer.
  public var detailBias: Int
  /// From where an arrow's distance is counted; nil counts from the view's centre.
  public var distanceOrigin: GeoPoint?

  public init(
    glyphs: GlyphSet = .braille, landFill: LandFill = .stipple, night: Date? = nil,
    showsCountries: Bool = true, showsCities: Bool = true, showsBorders: Bool = true,
    showsMarkerLabels: Bool = true, showsArrows: Bool = true, clustersMarkers: Bool = true,
    detailBias: Int = 0, distanceOrigin: GeoPoint? = nil
  ) {
    self.glyphs = glyphs
    self.landFill = landFill
    self.night = night
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
