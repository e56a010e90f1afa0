import Foundation
import RallyWire

/// What the map is asked to show next; the view turns it into a centre and a zoom.
public struct MapFocus: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    case place(Coordinate)
    /// All of these, with some room around; never empty.
    case all([Coordinate])
    case world
  }

  /// How near to come; the view knows what each means in its own numbers.
  public enum Scale: String, Hashable, Sendable {
    /// As near as now.
    case same
    case country, city, street
  }

  public var target: Target
  public var scale: Scale
  /// Grows with each request, so that the same one again is carried out again.
  public var revision: Int
}

/// Whose movement the map follows.
public enum MapFollowing: Hashable, Sendable {
  case me
  case friend(UUID)
}

/// A pin of the map that was selected.
public enum MapSelection: Hashable, Sendable {
  case friend(UUID)
  case mission(UUID)
}

extension Coordinate {
  /// The places this far to the north, east, south and west, as far as the globe goes.
  ///
  /// - Parameter metres: Not negative. Short ways only: the earth is taken as flat around here.
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
