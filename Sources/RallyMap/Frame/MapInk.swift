/// What a cell shows, in drawing order: a cell takes the colour of its highest ink. Colours are
/// chosen by the caller.
public enum MapInk: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  /// Beyond the world: margins of a view that is wider or higher than the world.
  case outside
  /// Water with nothing drawn: sea or lake.
  case sea
  /// Land: stipple dots, or empty when the fill is left to the background.
  case land
  /// A lake's shore.
  case lake
  /// The sea's shore.
  case coast
  /// A border between states or provinces of one country.
  case state
  /// A disputed border.
  case disputed
  /// A border between countries.
  case border
  /// The outline of a marker's accuracy radius.
  case area
  /// A marker's past positions.
  case trail
  case countryLabel
  /// A city's name and the dot before it.
  case cityLabel
  /// The edge arrow, with its text, for a marker out of view.
  case arrow
  /// The label of a marker, and its course arrow.
  case markerLabel
  /// A marker or a cluster of them.
  case marker

  public static func < (left: MapInk, right: MapInk) -> Bool { left.rawValue < right.rawValue }
}
