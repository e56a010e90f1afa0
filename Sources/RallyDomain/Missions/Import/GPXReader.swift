import RallyText
import RallyWire

/// Reads missions from GPX 1.1 (https://www.topografix.com/GPX/1/1/); version 1.0 is accepted too.
///
/// - All waypoints (`wpt`) together are one mission with one objective per waypoint. Its title is
///   the name in the file's metadata, or the file name.
/// - A route (`rte`) is one mission; its points (`rtept`) are the objectives.
/// - A track (`trk`) is one mission without objectives.
///
/// A mission's area is the circle around its points, with a radius of at least 100 m. An
/// objective's radius is 50 m. Points without a name are numbered. Timestamps in the file are
/// ignored: they say when a point was recorded, not when something happens.
struct GPXReader {
  typealias Located = MissionCollector.Located
  typealias Candidate = MissionCollector.Candidate

  /// The radius of an objective, in metres.
  static let objectiveRadius = 50.0

  /// - Parameter fileName: The title of missions for which the file has no name.
  static func read(_ bytes: [UInt8], fileName: String, now: WireTime) -> ImportPreview {
    var collector = MissionCollector(now: now)
    do throws(ImportProblem) {
      let root = try GPXElement(bytes)
      guard root.name == "gpx" else {
        throw ImportProblem(line: root.line, "This is no GPX file: it begins with another element.")
      }
      guard ["1.0", "1.1"].contains(root.attributes["version"] ?? "") else {
        throw ImportProblem(line: root.line, "Only GPX 1.1 is read.")
      }
      let candidates = candidates(of: root, fileName: fileName)
      if candidates.isEmpty {
        throw ImportProblem(line: root.line, "The file has no waypoint, no route and no track.")
      }
      for candidate in candidates {
        guard collector.add(candidate) else { break }
      }
    } catch {
      collector.report(error)
    }
    return collector.preview
  }

  private static func candidates(of root: GPXElement, fileName: String) -> [Candidate] {
    let names = root["metadata"] ?? root
    var candidates: [Candidate] = []
    let waypoints = root.all("wpt")
    if let first = waypoints.first {
      candidates.append(
        candidate(
          first.line, names: names, fallback: fileName, points: waypoints, areObjectives: true))
    }
    for (number, route) in root.all("rte").enumerated() {
      candidates.append(
        candidate(
          route.line, names: route, fallback: "\(fileName), route \(number + 1)",
          points: route.all("rtept"), areObjectives: true))
    }
    for (number, track) in root.all("trk").enumerated() {
      candidates.append(
        candidate(
          track.line, names: track, fallback: "\(fileName), track \(number + 1)",
          points: track.all("trkseg").flatMap { $0.all("trkpt") }, areObjectives: false))
    }
    return candidates
  }

  private static func candidate(
    _ line: Int, names: GPXElement, fallback: String, points: [GPXElement],
    areObjectives: Bool
  ) -> Candidate {
    var candidate = Candidate(line: line)
    candidate.title = text(names["name"]) ?? Located(value: fallback, line: line)
    candidate.brief = text(names["desc"])
    var places: [Coordinate] = []
    for (number, point) in points.enumerated() {
      guard let latitude = point.attributes["lat"].flatMap(Double.init),
        let longitude = point.attributes["lon"].flatMap(Double.init),
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else {
        candidate.problems.append(
          ImportProblem(line: point.line, "This point has no lat and lon on Earth."))
        continue
      }
      places.append(place)
      guard areObjectives else { continue }
      let title = text(point["name"])?.value ?? "Point \(number + 1)"
      candidate.objectives.append(
        Located(
          value: ObjectiveInput(title: title, place: place, radiusMetres: objectiveRadius),
          line: point.line))
    }
    if points.isEmpty {
      candidate.problems.append(ImportProblem(line: line, "There is no point in it."))
    } else if candidate.problems.isEmpty {
      candidate.circle = BoundingCircle(around: places)
      candidate.radiusMetres = candidate.circle.map {
        Located(
          value: max($0.radiusMetres.rounded(.up), MissionCollector.defaultRadius), line: line)
      }
    }
    return candidate
  }

  /// The trimmed text of an element; nil if the element is missing or blank.
  private static func text(_ element: GPXElement?) -> Located<String>? {
    guard let element else { return nil }
    let text = element.text.trimmed
    return text.isEmpty ? nil : Located(value: text, line: element.line)
  }
}
