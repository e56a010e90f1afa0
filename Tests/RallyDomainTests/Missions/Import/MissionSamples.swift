import Foundation
import RallyWire

@testable import RallyDomain

/// Files as people bring them, and missions to write down.
enum MissionSamples {
  static let now = WireTime("2026-05-01T12:00:00Z") ?? .now

  static func preview(_ text: String, name: String = "walk.gpx") -> ImportPreview {
    MissionFile.preview(Data(text.utf8), name: name, now: now)
  }

  static let geoJSON = """
    {
      "type": "FeatureCollection",
      "features": [
        {
          "type": "Feature",
          "geometry": {"type": "Point", "coordinates": [-9.1300, 38.7120, 12.5]},
          "properties": {
            "title": "Lanterns of Alfama",
            "brief": "Find the four doors.",
            "radius_m": 400,
            "starts_at": "2026-05-01T18:00:00Z",
            "ends_at": "2026-05-01T20:00:00+01:00",
            "capacity": 6,
            "visibility": "friends",
            "objectives": [
              "Say hello",
              {"title": "Blue door", "coordinates": [-9.1311, 38.7125], "radius_m": 50},
              {"name": "Cats", "count": 9}
            ]
          }
        },
        {
          "type": "Feature",
          "geometry": {
            "type": "Polygon",
            "coordinates": [[[-9.15, 38.70], [-9.13, 38.70], [-9.13, 38.72], [-9.15, 38.72],
              [-9.15, 38.70]]]
          },
          "properties": {"name": "Trees"}
        }
      ]
    }
    """

  static let gpx = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="a phone" xmlns="http://www.topografix.com/GPX/1/1">
      <metadata><name>Fog run &amp; more</name><desc><![CDATA[Before <nine>]]></desc></metadata>
      <!-- doors -->
      <wpt lat="38.7120" lon="-9.1300"><ele>12</ele><name>Blue door</name></wpt>
      <wpt lat="38.7140" lon="-9.1320"/>
      <rte>
        <name>Loop</name>
        <rtept lat="38.70" lon="-9.10"><name>Start</name></rtept>
        <rtept lat="38.71" lon="-9.10"><name>Caf&#xE9;</name></rtept>
      </rte>
      <trk><trkseg><trkpt lat="38.0" lon="-9.0"/><trkpt lat="38.1" lon="-9.0"/></trkseg></trk>
    </gpx>
    """

  static func record(
    _ title: String, id: Int = 1, brief: String = "", radius: Double = 150,
    endsAt: WireTime? = nil, capacity: Int? = nil, state: MissionState = .open,
    myState: MissionMembership? = .joined, objectives: [ObjectiveRecord] = []
  ) -> MissionRecord {
    var fields = MissionFields(
      title: title, brief: brief,
      centre: Coordinate(latitudeUnits: 387_120_001, longitudeUnits: -91_300_007)
        ?? Coordinate(latitudeUnits: 0, longitudeUnits: 0)!,
      radiusMetres: radius, startsAt: WireTime("2026-05-01T18:00:00.5Z") ?? now, endsAt: endsAt)
    fields.capacity = capacity
    fields.visibility = .friends
    var record = MissionRecord(
      id: UUID(uuidString: "00000000-0000-0000-0000-00000000000\(id)") ?? UUID(), creatorID: nil,
      fields: fields, createdAt: now, version: 7, objectives: objectives, memberCount: 1)
    record.state = state
    record.myState = myState
    return record
  }
}
