/// What a cell shows, in the order in which one hides the other: the cell's colour is that of its
/// highest ink. Colours are the caller's.
public enum MapInk: UInt8, Comparable, Hashable, Sendable, CaseIterable {
  /// Beyond the world: the margins of a view that is wider or higher than it.
  case outside
  /// Nothing drawn, on the sea or on a lake.
  case sea
  /// Land: the sparse dots of its fill, or nothing at all when the fill is left to the background.
  case land
  /// A lake's shore.
  case lake
  /// The sea's shore.
  case coast
  /// A border between states of a federation.
  case state
  /// A border that is not agreed on.
  case disputed
  /// A border between countries.
  case border
  /// The outline of the area within which a marker lies.
  case area
  /// Where a marker has been.
  case trail
  case countryLabel
  /// A city's name and the dot before it.
  case cityLabel
  /// A marker that is out of view: the arrow at the edge and its words.
  case arrow
  /// The words beside a marker, and the arrow of its course.
  case markerLabel
  /// A marker or a cluster of them.
  case marker

  public static func < (left: MapInk, right: MapInk) -> Bool { left.rawValue < right.rawValue }
}
