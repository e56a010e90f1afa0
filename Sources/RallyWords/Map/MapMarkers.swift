import FoundationEssentials
import RallyDomain
import RallyMap
import RallyWire
import TerminalKit

/// The caller's classes of colour on the map, handed through by the engine.
package enum MapTag: UInt8 {
  case none, fresh, older, old, me, mission, zone

  package init(_ age: PositionAge) {
    self =
      switch age {
      case .fresh: .fresh
      case .older: .older
      case .old: .old
      }
  }

  package var style: Style {
    switch self {
    case .none: .normal
    case .fresh: Style(.mapLive)
    case .older: Style(.mapOlder)
    case .old, .zone: .dim
    case .me: Style(.mapYou)
    case .mission: Style(.mapMission)
    }
  }

  var labelStyle: Style {
    switch self {
    case .old: style
    case .fresh: Style(.mapLiveName).bold
    default: style.bold
    }
  }

  /// What is laid over the area where somebody may be.
  package var tint: Backdrop.Tint {
    switch self {
    case .none, .zone: .none
    case .fresh: .live
    case .older, .old: .old
    case .me: .you
    case .mission: .mission
    }
  }
}

/// People as markers of the map.
public enum MapMarkers {
  public static let me = "me"

  public static func id(of friendID: UUID) -> String { friendID.wireText }

  /// Whose marker this is; nil for my own.
  public static func friendID(of id: String) -> UUID? { UUID(wireText: id) }

  /// - Parameters:
  ///   - positions: As shown at `now`.
  ///   - selectedID: Whose marker is drawn over all others and keeps its name.
  ///   - glyphs: What the map is drawn with: an ASCII map has marks of ASCII.
  ///   - hasInitials: Whether a person who stands alone is marked by a letter, filled with the colour
  ///     of their age. An old position keeps its mark.
  public static func markers(
    _ positions: [FriendPosition], me: LocationFix?, trails: [UUID: [Coordinate]] = [:],
    selectedID: UUID? = nil, glyphs: GlyphSet = .braille, hasInitials: Bool = false,
    at now: WireTime
  ) -> [MapMarker] {
    var markers = positions.map { position in
      let age = position.age(at: now)
      let isSelected = position.id == selectedID
      return MapMarker(
        id: id(of: position.id), point: GeoPoint(position.coordinate),
        glyph: mark(of: age, glyphs),
        initial: hasInitials && age != .old ? initial(of: position.profile.username) : nil,
        label: position.profile.username,
        rank: isSelected ? 90 : rank(of: age), tag: MapTag(age).rawValue,
        accuracyMetres: position.accuracyMetres, uncertaintyMetres: position.uncertaintyMetres,
        course: position.isMoving ? position.course : nil,
        trail: (trails[position.id] ?? []).map(GeoPoint.init),
        isClusterable: !isSelected)
    }
    if let me {
      markers.append(
        MapMarker(
          id: Self.me, point: GeoPoint(me.coordinate), glyph: "@", label: "you", rank: 100,
          tag: MapTag.me.rawValue, accuracyMetres: me.accuracyMetres, isClusterable: false,
          hasArrow: false))
    }
    return markers
  }

  /// My zones: a circle that I alone see, with its name in its middle. Nothing of them is selected.
  public static func markers(
    ofZones zones: [PrivacyZone], glyphs: GlyphSet = .braille
  ) -> [MapMarker] {
    zones.map { zone in
      MapMarker(
        id: "zone \(zone.name)", point: GeoPoint(zone.centre),
        glyph: glyphs == .ascii ? ":" : "◌", label: zone.name, rank: 0,
        tag: MapTag.zone.rawValue, accuracyMetres: zone.radiusMetres, isClusterable: false,
        hasArrow: false)
    }
  }

  private static func initial(of username: String) -> Character? {
    username.first?.uppercased().first
  }

  private static func mark(of age: PositionAge, _ glyphs: GlyphSet) -> Character {
    guard glyphs == .ascii else { return age.mark.first ?? "●" }
    return switch age {
    case .fresh: "*"
    case .older: "o"
    case .old: "."
    }
  }

  private static func rank(of age: PositionAge) -> Int {
    switch age {
    case .fresh: 30
    case .older: 20
    case .old: 10
    }
  }
}
