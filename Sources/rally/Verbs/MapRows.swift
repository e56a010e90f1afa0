import RallyCommand
import RallyDomain
import RallyMap
import RallyWire
import RallyWords

// What `rally map --json` prints. Scripts build on these names: nothing is renamed or left out,
// and what is unknown is null.

/// A printed map and the people on it.
struct MapDocument: JSONRow {
  let map: PrintedMap
  let people: MapPeople

  var members: [String: (any Encodable)?] {
    let viewport = map.frame.viewport
    return [
      "columns": viewport.columns,
      "rows": viewport.rows,
      "center": CenterRow(viewport.center),
      "zoom": viewport.zoom,
      "lines": map.lines(),
      "pins": pins,
      "scale": map.frame.scaleBar.map(ScaleRow.init),
      "attribution": MapFrame.attribution,
    ]
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
private struct PinRow: JSONRow {
  let pin: PlacedPin
  var position: FriendPosition?
  var me: LocationFix?

  var members: [String: (any Encodable)?] {
    let coordinate = position?.coordinate ?? me?.coordinate
    return [
      "username": position?.profile.username,
      "display_name": position?.profile.displayName,
      "is_me": position == nil,
      "column": pin.column,
      "row": pin.row,
      "latitude": coordinate?.latitude,
      "longitude": coordinate?.longitude,
      "precision": position?.precision,
      "accuracy_m": position?.accuracyMetres ?? me?.accuracyMetres,
      "recorded_at": position?.recordedAt ?? me?.recordedAt,
    ]
  }
}
