import FoundationEssentials
import RallyWire

/// Exports missions as GeoJSON (RFC 7946); `GeoJSONReader` reads them back as the same missions.
///
/// Members and check-ins are left out, since the file is meant to be shared.
public enum MissionGeoJSON {
  /// A `FeatureCollection`, indented, with a trailing newline.
  ///
  /// - Throws: `EncodingError` if a number is not finite.
  public static func text(_ missions: [MissionRecord]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys, .prettyPrinted]
    let data = try encoder.encode(Collection(features: missions.map(Feature.init)))
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Collection: Encodable {
    let type = "FeatureCollection"
    var features: [Feature]
  }

  private struct Feature: Encodable {
    let type = "Feature"
    var id: UUID
    var geometry: Geometry
    var properties: Properties

    init(_ mission: MissionRecord) {
      id = mission.id
      geometry = Geometry(coordinates: [mission.longitude, mission.latitude])
      properties = Properties(mission)
    }
  }

  private struct Geometry: Encodable {
    let type = "Point"
    var coordinates: [Double]
  }

  private struct Properties: Encodable {
    var title: String
    var brief: String?
    var radius_m: Double
    var starts_at: String
    var ends_at: String?
    var `repeat`: MissionRepeat?
    var repeat_until: String?
    var time_zone: String?
    var repeat_day: Int?
    var repeat_time: String?
    var capacity: Int?
    var visibility: MissionVisibility
    var live: Bool?
    var objectives: [Objective]?

    init(_ mission: MissionRecord) {
      title = mission.title
      brief = mission.brief.isEmpty ? nil : mission.brief
      radius_m = mission.radiusMetres
      starts_at = mission.startsAt.zulu
      ends_at = mission.endsAt?.zulu
      `repeat` = mission.series?.repeats
      repeat_until = mission.series?.until?.zulu
      time_zone = mission.series?.timeZone
      let current = mission.series?.beginning(at: mission.startsAt)
      repeat_day = current?.monthDay
      repeat_time = current?.timeOfDay?.description
      capacity = mission.capacity
      visibility = mission.visibility
      live = mission.isLive == true ? true : nil
      objectives = mission.objectives.isEmpty ? nil : mission.objectives.map(Objective.init)
    }
  }

  private struct Objective: Encodable {
    var title: String
    var count: Int?
    var radius_m: Double?
    var coordinates: [Double]?

    init(_ objective: ObjectiveRecord) {
      title = objective.title
      count = objective.count == 1 ? nil : objective.count
      radius_m = objective.radiusMetres
      coordinates = objective.ownPlace.map { [$0.longitude, $0.latitude] }
    }
  }
}
