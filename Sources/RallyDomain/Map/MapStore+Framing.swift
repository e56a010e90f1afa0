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

/// A mission that the map keeps in view, with everybody who shows me the way there.
public struct MapFraming: Hashable, Sendable {
  public let missionID: UUID
  /// False once the map was moved by hand, until it is framed again.
  public internal(set) var isHeld = true
  /// What the map was asked to show before this does not end it.
  public let focusRevision: Int

  fileprivate let centre: Coordinate?
  fileprivate let zoom: Double?
  fileprivate let selection: MapSelection?
  fileprivate let following: MapFollowing?
}

extension MapStore {
  // MARK: - Framing

  /// Keeps a mission and those who come to it in view, and remembers what was shown before.
  ///
  /// - What: The map shows a mission and who comes to it.
  /// - How: Keeps centre, zoom, selection and whom the map followed, once, until `leaveFrame`.
  /// - Why: Who watches others come must not lose where they were on the map.
  /// - Service Calls: None
  public func frame(_ missionID: UUID) {
    let before = framing
    framing = MapFraming(
      missionID: missionID, focusRevision: focus?.revision ?? 0,
      centre: before.map(\.centre) ?? centre, zoom: before.map(\.zoom) ?? zoom,
      selection: before.map(\.selection) ?? selection,
      following: before.map(\.following) ?? following)
    follow(nil)
  }

  /// Shows again what was shown before `frame`.
  ///
  /// - What: Gives back what the map showed before.
  /// - How: Whoever was followed is followed again, from where they are now.
  /// - Why: One key leads there and back.
  /// - Service Calls: None
  public func leaveFrame() {
    guard let framing else { return }
    self.framing = nil
    select(pin: framing.selection)
    follow(framing.following)
    // Who is followed has moved on.
    if framing.following == nil { centre = framing.centre }
    zoom = framing.zoom
  }

  /// The map was moved by hand: it stays there.
  ///
  /// - What: The frame is no longer held; it can be left or taken again.
  /// - How: Changes nothing that is shown.
  /// - Why: A map that jumps back under a hand that moves it cannot be used.
  /// - Service Calls: None
  public func letGoOfFrame() {
    if framing?.isHeld == true { framing?.isHeld = false }
  }

  /// Those who come to a mission, as far as they show it to me.
  public func coming(_ rows: [ComingRecord], to mission: Mission, at now: WireTime) -> [Coming] {
    Coming.all(
      rows, to: mission, position: { records[$0] }, track: { track(of: $0) }, at: now)
  }
}

extension Mission {
  /// What a map shows of it: the ends of its radius.
  public var extent: [Coordinate] { centre.surroundings(metres: max(record.radiusMetres, 300)) }
}
