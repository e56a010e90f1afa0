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
