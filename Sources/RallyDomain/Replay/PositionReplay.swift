import RallyClient
import RallySystem
import RallyWire

/// Replays a recorded track as positions of the signed-in person, through the same cut and the same
/// sampling as measured ones, for trying things.
///
/// The manual pin is neither used nor changed.
@MainActor
public final class PositionReplay {
  /// What happened at a point.
  public enum Step: Sendable {
    case sent(SentReport)
    case failed(CommunityViewError)
  }

  public let track: GPXTrack
  private let speed: Double
  private let interval: Duration
  private let provider: CurrentLocationProvider
  private let store: LocationSharingStore

  /// - Parameters:
  ///   - speed: How many times faster than recorded; more than 0.
  ///   - interval: The map's interval by the runtime policy.
  public init(_ track: GPXTrack, speed: Double, interval: Duration, services: AppServices) {
    self.track = track
    self.speed = speed
    self.interval = interval
    provider = CurrentLocationProvider(
      authService: services.authService, persistenceService: PersistenceService(),
      sources: [LocationSource(name: Self.source) { _ in AsyncStream { _ in } }])
    store = services.makeLocationSharingStore(currentLocationProvider: provider)
  }

  private static let source = "replay"

  /// Fetches who sees what.
  ///
  /// - Returns: How many friends see where I am; nil if the server was not reached.
  public func prepare() async -> Int? {
    if await store.ghostService.isPending() { store.ghostPhase = .pending }
    await store.refreshAll(mode: .initial)
    return store.summary?.sharedCount
  }

  /// Goes from point to point; ends with the last one, or when the task is cancelled.
  ///
  /// - Parameter step: Called with the number of the point, from 1 on, when its position was sent
  ///   or could not be sent.
  public func run(step: (Int, Step) -> Void) async {
    store.setSyncInterval(interval)
    defer { store.setSyncInterval(nil) }
    provider.receive(.state(.running), of: 0)
    for (index, point) in track.points.enumerated() {
      let pause = track.pause(before: index, speed: speed)
      guard (try? await DispatchSleep.for(pause)) != nil else { return }
      provider.receive(.fix(fix(at: index, point, pause)), of: 0)
      report(await store.currentLocationChanged(), at: index, step)
    }
    // The end of the way is sent too, once its interval is over.
    while store.isReportPending, !Task.isCancelled {
      guard (try? await DispatchSleep.for(interval)) != nil else { return }
      report(await store.publishIfChanged(), at: track.count - 1, step)
    }
  }

  private var seen: SentReport?

  private func report(
    _ failure: CommunityViewError?, at index: Int, _ step: (Int, Step) -> Void
  ) {
    if let failure { step(index + 1, .failed(failure)) }
    if let sent = store.lastReport, sent != seen {
      seen = sent
      step(index + 1, .sent(sent))
    }
  }

  private func fix(at index: Int, _ point: GPXTrack.Point, _ pause: Duration) -> LocationFix {
    var fix = LocationFix(
      coordinate: point.coordinate, recordedAt: .now, source: Self.source)
    let seconds = pause / .seconds(1)
    if index > 0, seconds > 0 {
      let former = track.points[index - 1].coordinate
      fix.speed = min(100_000, former.distance(to: point.coordinate) / seconds)
      fix.course = former.bearing(to: point.coordinate)
    }
    return fix
  }
}

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
