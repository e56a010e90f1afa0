import RallySystem
import RallyWire

/// The points of a recorded track, for a replay.
public struct GPXTrack: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var coordinate: Coordinate
    /// When it was recorded; nil if the file does not say.
    var time: WireTime?
  }

  /// Metres per second, where the file has no times: a walk.
  static let walkingSpeed = 1.4

  let points: [Point]

  public var count: Int { points.count }

  /// Reads the tracks of a GPX file, one after the other.
  ///
  /// - Throws: `ImportProblem` with the line of the first error.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    let root = try GPXElement(bytes)
    guard root.name == "gpx" else {
      throw ImportProblem(line: root.line, "This is no GPX file: it begins with another element.")
    }
    var points: [Point] = []
    for element in root.all("trk").flatMap({ $0.all("trkseg") }).flatMap({ $0.all("trkpt") }) {
      guard let latitude = element.attributes["lat"].flatMap(Double.init),
        let longitude = element.attributes["lon"].flatMap(Double.init),
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else {
        throw ImportProblem(line: element.line, "This point has no lat and lon on Earth.")
      }
      let time = element["time"].flatMap { WireTime($0.text.filter { !$0.isWhitespace }) }
      points.append(Point(coordinate: coordinate, time: time))
    }
    guard !points.isEmpty else {
      throw ImportProblem(line: root.line, "The file has no track.")
    }
    self.points = points
  }

  /// Reads a file of at most 5 MB.
  ///
  /// - Throws: `FieldProblem` that says what is wrong with the file, and in which line.
  @concurrent
  public static func read(file path: String) async throws -> GPXTrack {
    let data = try ImportService.read(path)
    do {
      return try GPXTrack(Array(data))
    } catch {
      throw FieldProblem(field: .file, advice: "Line \(error.line): \(error.sentence)")
    }
  }

  /// How long after the point before it a point is reached, at a multiple of the recorded speed.
  ///
  /// - Parameter speed: How many times faster; more than 0.
  func pause(before index: Int, speed: Double) -> Duration {
    guard points.indices.contains(index - 1), points.indices.contains(index) else { return .zero }
    let (start, end) = (points[index - 1], points[index])
    let recorded: Duration =
      if let from = start.time, let to = end.time { max(.zero, to.since(from)) } else {
        .seconds(start.coordinate.distance(to: end.coordinate) / Self.walkingSpeed)
      }
    return recorded / speed
  }
}
