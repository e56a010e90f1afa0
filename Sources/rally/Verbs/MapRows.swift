import RallyDomain
import RallyMap
import RallyWire
import RallyWords

// What `rally map --json` prints. Scripts build on these names: nothing is renamed or left out,
// and what is unknown is null.

/// A printed map and the people on it.
struct MapDocument: Encodable {
  let map: PrintedMap
  let people: MapPeople

  enum CodingKeys: String, CodingKey {
    case columns, rows, center, zoom, lines, pins, scale, attribution
  }

  func encode(to encoder: any Encoder) throws {
    let viewport = map.frame.viewport
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(viewport.columns, forKey: .columns)
    try container.encode(viewport.rows, forKey: .rows)
    try container.encode(CenterRow(viewport.center), forKey: .center)
    try container.encode(viewport.zoom, forKey: .zoom)
    try container.encode(map.lines(), forKey: .lines)
    try container.encode(pins, forKey: .pins)
    try container.encode(map.frame.scaleBar.map(ScaleRow.init), forKey: .scale)
    try container.encode(MapFrame.attribution, forKey: .attribution)
  }

  /// Everybody in view, friends first; people with the same cell share a pin.
  private var pins: [PinRow] {
    let friends = people.positions.compactMap { position in
      map.frame.pin(of: MapMarkers.id(of: position.id)).map { PinRow(pin: $0, position: position) }
    }
    let mine = people.me.flatMap { fix in
      map.frame.pin(of: MapMarkers.me).map { PinRow(pin: $0, me: fix) }
    }
    return friends + [mine].compactMap(\.self)
  }
}

/// The centre of the map.
private struct CenterRow: Encodable {
  var latitude: Double
  var longitude: Double

  init(_ point: GeoPoint) {
    latitude = point.latitude
    longitude = point.longitude
  }
}

/// The scale bar: its length in cells and in metres.
private struct ScaleRow: Encodable {
  var cells: Int
  var metres: Double
  var label: String

  init(_ bar: ScaleBar) {
    (cells, metres, label) = (bar.cells, bar.metres, bar.label)
  }
}

/// One person on the map; my own row has no username, and its unknown values are null.
private struct PinRow: Encodable {
  let pin: PlacedPin
  var position: FriendPosition?
  var me: LocationFix?

  enum CodingKeys: String, CodingKey {
    case username, column, row, latitude, longitude, precision
    case isMe = "is_me"
    case displayName = "display_name"
    case accuracy = "accuracy_m"
    case recordedAt = "recorded_at"
  }

  func encode(to encoder: any Encoder) throws {
    let coordinate = position?.coordinate ?? me?.coordinate
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(position?.profile.username, forKey: .username)
    try container.encode(position?.profile.displayName, forKey: .displayName)
    try container.encode(position == nil, forKey: .isMe)
    try container.encode(pin.column, forKey: .column)
    try container.encode(pin.row, forKey: .row)
    try container.encode(coordinate?.latitude, forKey: .latitude)
    try container.encode(coordinate?.longitude, forKey: .longitude)
    try container.encode(position?.precision, forKey: .precision)
    try container.encode(position?.accuracyMetres ?? me?.accuracyMetres, forKey: .accuracy)
    try container.encode(position?.recordedAt ?? me?.recordedAt, forKey: .recordedAt)
  }
}
