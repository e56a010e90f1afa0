import FoundationEssentials
import RallySystem
import RallyText
import RallyWire

/// Reads missions from GeoJSON (RFC 7946).
///
/// One feature is one mission. A file is a feature collection or a single feature. The geometry
/// sets the area:
///
/// - a `Point` is the centre; the radius is the property `radius_m`, or 100 m without it;
/// - any other geometry gives the circle around all its points; `radius_m` replaces its radius.
///
/// Properties that are read; all others are ignored:
///
/// | property | |
/// |---|---|
/// | `title` or `name` | required, 1 to 60 characters |
/// | `brief`, `description` or `desc` | at most 500 characters |
/// | `radius_m` | metres, 10 to 100,000 |
/// | `starts_at`, `ends_at` | RFC 3339 (`2026-05-01T18:00:00Z`); default: now, and no end |
/// | `repeat` | `daily`, `weekly`, `fortnightly` or `monthly`; needs `ends_at` |
/// | `repeat_until` | RFC 3339; no occurrence starts later |
/// | `time_zone` | by whose clocks it repeats (`Europe/Lisbon`); default: this system's |
/// | `repeat_day` | where it starts on an earlier day as the month is shorter: 29 to 31 |
/// | `repeat_time` | where it starts later as the clocks of that day skip the time: `02:30` |
/// | `capacity` | people, 1 to 1000 |
/// | `visibility` | `private`, `invited` or `friends` |
/// | `live` | `true` or `false` |
/// | `objectives` | a list of strings or objects |
///
/// An objective that is an object has `title` (or `name`), `count`, `radius_m` and, if it has its
/// own place, `coordinates` as `[longitude, latitude]`.
///
/// `MissionGeoJSON` writes the same format.
struct GeoJSONReader {
  typealias Located = MissionCollector.Located
  typealias Candidate = MissionCollector.Candidate

  static func read(_ bytes: [UInt8], now: WireTime) -> ImportPreview {
    var collector = MissionCollector(now: now)
    do throws(ImportProblem) {
      let root = try PositionedJSON(bytes)
      for feature in try features(of: root) {
        guard feature["type"]?.string == "Feature" else {
          collector.report(ImportProblem(line: feature.line, "A Feature is expected here."))
          continue
        }
        guard collector.add(candidate(feature)) else { break }
      }
    } catch {
      collector.report(error)
    }
    return collector.preview
  }

  private static func features(
    of root: PositionedJSON
  ) throws(ImportProblem) -> [PositionedJSON] {
    switch root["type"]?.string {
    case "Feature": return [root]
    case "FeatureCollection":
      guard let features = root["features"]?.array else {
        throw ImportProblem(line: root.line, "The collection has no list of features.")
      }
      return features
    case .some(let type) where root["coordinates"] != nil || root["geometries"] != nil:
      throw ImportProblem(
        line: root.line, "A bare \(type.cleanedForDisplay) has no title. Put it into a Feature.")
    default:
      throw ImportProblem(
        line: root.line, "This is no GeoJSON: a Feature or a FeatureCollection is expected.")
    }
  }

  // MARK: A feature

  private static func candidate(_ feature: PositionedJSON) -> Candidate {
    var candidate = Candidate(line: feature.line)
    var reader = PropertyReader(feature["properties"])
    candidate.title = reader.text("title", "name")
    candidate.brief = reader.text("brief", "description", "desc")
    candidate.radiusMetres = reader.number("radius_m")
    candidate.startsAt = reader.time("starts_at")
    candidate.endsAt = reader.time("ends_at")
    if let text = reader.text("repeat") {
      candidate.repeats = MissionRepeat(rawValue: text.value).map {
        Located(value: $0, line: text.line)
      }
      if candidate.repeats == nil {
        reader.note(text.line, "repeat is daily, weekly, fortnightly or monthly.")
      }
    }
    candidate.repeatUntil = reader.time("repeat_until")
    candidate.timeZone = reader.text("time_zone")
    candidate.monthDay = reader.whole("repeat_day")
    if let text = reader.text("repeat_time") {
      candidate.timeOfDay = ClockTime(text.value).map { Located(value: $0, line: text.line) }
      if candidate.timeOfDay == nil {
        reader.note(text.line, "repeat_time is a time such as 02:30.")
      }
    }
    candidate.capacity = reader.whole("capacity")
    if let text = reader.text("visibility") {
      candidate.changes.visibility = MissionVisibility(rawValue: text.value)
      if candidate.changes.visibility == nil {
        reader.note(text.line, "The visibility is private, invited or friends.")
      }
    }
    candidate.changes.isLive = reader.flag("live")
    candidate.objectives = objectives(&reader)
    if let geometry = feature["geometry"] {
      do throws(ImportProblem) {
        let points = try GeoJSONGeometry.points(of: geometry)
        candidate.circle = BoundingCircle(around: points)
        if candidate.circle == nil {
          throw ImportProblem(line: geometry.line, "This geometry has no middle on Earth.")
        }
      } catch {
        reader.problems.append(error)
      }
    } else {
      reader.note(feature.line, "The feature has no geometry, so the mission has no place.")
    }
    candidate.problems = reader.problems
    return candidate
  }

  private static func objectives(_ reader: inout PropertyReader) -> [Located<ObjectiveInput>] {
    guard let list = reader.properties?["objectives"] else { return [] }
    guard let values = list.array else {
      reader.note(list.line, "The objectives are a list.")
      return []
    }
    return values.compactMap { value in
      if let title = value.string {
        return Located(value: ObjectiveInput(title: title), line: value.line)
      }
      guard value.object != nil else {
        reader.note(value.line, value.fault ?? "An objective is a text, or an object with a title.")
        return nil
      }
      var parts = PropertyReader(value)
      var input = ObjectiveInput(title: parts.text("title", "name")?.value ?? "")
      input.count = parts.whole("count")?.value
      input.radiusMetres = parts.number("radius_m")?.value
      if let place = value["coordinates"] {
        do throws(ImportProblem) {
          let coordinate = try GeoJSONGeometry.position(place)
          input.latitude = coordinate.latitude
          input.longitude = coordinate.longitude
        } catch {
          parts.problems.append(error)
        }
      }
      reader.problems += parts.problems
      return Located(value: input, line: value.line)
    }
  }
}

/// Reads properties of an object and collects a problem for each one of the wrong type.
private struct PropertyReader {
  typealias Located = MissionCollector.Located

  let properties: PositionedJSON?
  var problems: [ImportProblem] = []

  init(_ properties: PositionedJSON?) { self.properties = properties }

  mutating func note(_ line: Int, _ sentence: String) {
    problems.append(ImportProblem(line: line, sentence))
  }

  /// The value of the first name that is present; a problem if it is not a string.
  mutating func text(_ names: String...) -> Located<String>? {
    for name in names {
      guard let value = properties?[name] else { continue }
      guard let text = value.string else {
        note(value.line, value.fault ?? "\(name) is a text in quotation marks.")
        return nil
      }
      return Located(value: text, line: value.line)
    }
    return nil
  }

  mutating func number(_ name: String) -> Located<Double>? {
    guard let value = properties?[name] else { return nil }
    guard let number = value.number else {
      note(value.line, value.fault ?? "\(name) is a number without quotation marks.")
      return nil
    }
    return Located(value: number, line: value.line)
  }

  mutating func whole(_ name: String) -> Located<Int>? {
    guard let value = properties?[name] else { return nil }
    // Two steps: the optimizer of Swift 6.3.1 fails on an optional chain here.
    if let number = value.number, let whole = Int(exactly: number) {
      return Located(value: whole, line: value.line)
    }
    note(value.line, value.fault ?? "\(name) is a whole number.")
    return nil
  }

  mutating func flag(_ name: String) -> Bool? {
    guard let value = properties?[name] else { return nil }
    if let flag = value.bool { return flag }
    note(value.line, value.fault ?? "\(name) is true or false.")
    return nil
  }

  mutating func time(_ name: String) -> Located<WireTime>? {
    guard let text = text(name) else { return nil }
    guard let time = WireTime(text.value) else {
      note(text.line, "\(name) is a time such as 2026-05-01T18:00:00Z.")
      return nil
    }
    return Located(value: time, line: text.line)
  }
}

/// Exports missions as GeoJSON (RFC 7946); `GeoJSONReader` reads them back as the same missions.
///
/// Members and check-ins are left out, since the file is meant to be shared.
public enum MissionGeoJSON {
  /// The properties of a feature that are read, for the help of who writes a file.
  public static let properties = """
    title (or name), brief (or description), radius_m, starts_at, ends_at, repeat (daily, weekly, \
    fortnightly, monthly), repeat_until, time_zone, repeat_day (the day of the month, where \
    starts_at is on an earlier one as its month is shorter), repeat_time (02:30, where the clocks \
    skip it on the day of starts_at), capacity, visibility (private, invited, friends), live (true \
    or false) and objectives: texts, or objects with title, count, radius_m and coordinates
    """

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
