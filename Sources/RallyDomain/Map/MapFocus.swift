import FoundationEssentials
import Glibc
import RallyWire

/// A request for what the map shows next; the view turns it into a centre and a zoom level.
public struct MapFocus: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case place(Coordinate)
    /// Fits all coordinates, with a margin; never empty.
    case all([Coordinate])
    case world
  }

  /// The zoom level, by name; the view maps it to a number.
  public enum Scale: String, Hashable, Sendable {
    /// Keep the current zoom level.
    case same
    case country, city, street
  }

  public var target: Target
  public var scale: Scale
  /// Increases with each request, so that repeating a request has an effect.
  public var revision: Int
}

/// Whose position the map keeps in view.
public enum MapFollowing: Hashable, Sendable {
  case me
  case friend(UUID)
}

/// The selected marker of the map.
public enum MapSelection: Hashable, Sendable {
  case friend(UUID)
  case mission(UUID)
}

extension Coordinate {
  /// The points this far to the north, east, south and west, clamped to valid coordinates.
  ///
  /// - Parameter metres: Not negative. For short distances only: the earth is treated as flat.
  func surroundings(metres: Double) -> [Coordinate] {
    let north = metres / Coordinate.earthRadius * 180 / .pi
    let east = north / max(0.01, cos(latitude * .pi / 180))
    return [(north, 0), (0, east), (-north, 0), (0, -east)].compactMap {
      Coordinate(
        latitude: min(max(latitude + $0.0, -90), 90),
        longitude: min(max(longitude + $0.1, -180), 180))
    }
  }
}
