import RallyClient
import RallySystem
import RallyWire

/// A service of this machine that measures where the device is, such as gpsd.
///
/// It works only while somebody reads its events: `CurrentLocationProvider` starts it when a
/// position is needed and cancels the reader when none is. Sources are given to the provider in
/// the order of their rank; `LocationChoice` decides which fix counts.
public struct LocationSource: Sendable {
  /// 1 to 24 characters of `a-z 0-9 _ -`; also the `source` of its fixes.
  public let name: String
  /// How long a fix counts after it arrived. A source that loses its fix earlier sends a state.
  public let lifetime: Duration
  /// Starts measuring at a pace; ends when the reader's task is cancelled.
  ///
  /// Works off the main actor. A fix implies the state `running` or `paused`: send the state first,
  /// and both only when they have something new (`FixFilter`), since every event wakes the main
  /// actor.
  public let events: @Sendable (LocationPace) -> AsyncStream<LocationEvent>

  public init(
    name: String, lifetime: Duration = .seconds(600),
    events: @escaping @Sendable (LocationPace) -> AsyncStream<LocationEvent>
  ) {
    self.name = name
    self.lifetime = lifetime
    self.events = events
  }
}

/// What a source reports.
public enum LocationEvent: Hashable, Sendable {
  case state(LocationSourceState)
  case fix(LocationFix)
}

/// How often a source measures.
public enum LocationPace: Hashable, Sendable {
  /// As often as the device does.
  case continuous
  /// Once per interval; the device rests in between.
  case every(Duration)
}

/// Whether a source may measure, and whether it does.
public enum LocationSourceState: Hashable, Sendable {
  /// Nobody needs a position, so the source was not started and no permission was asked for.
  case notAsked
  /// Started, without a fix yet; the text says what it waits for.
  case searching(String)
  /// The user or the system refused permission; the text says who and how to change it.
  case denied(String)
  /// It cannot measure; the text says why.
  case unavailable(String)
  case running
  /// The runtime policy lets it rest between two measurements; the text says how long.
  case paused(String)

  /// A stable name for scripts.
  public var name: String {
    switch self {
    case .notAsked: "not_asked"
    case .searching: "searching"
    case .denied: "denied"
    case .unavailable: "unavailable"
    case .running: "running"
    case .paused: "paused"
    }
  }

  public var detail: String? {
    switch self {
    case .notAsked, .running: nil
    case .searching(let text), .denied(let text), .unavailable(let text), .paused(let text): text
    }
  }

  /// For people: `unavailable: nothing answers at 127.0.0.1:2947`.
  public var sentence: String {
    let word = if case .notAsked = self { "not asked" } else { name }
    return detail.map { "\(word): \($0)" } ?? word
  }

  /// Whether its last fix still describes where the device is.
  var isMeasuring: Bool {
    switch self {
    case .running, .paused: true
    case .notAsked, .searching, .denied, .unavailable: false
    }
  }

  /// Whether waiting will not bring a fix.
  var isHopeless: Bool {
    switch self {
    case .denied, .unavailable: true
    case .notAsked, .searching, .running, .paused: false
    }
  }
}

/// A position of this device, measured or entered by the user.
public struct LocationFix: Hashable, Sendable, Codable {
  /// The source of positions that the user entered.
  public static let manualSource = "manual"

  public var coordinate: Coordinate
  /// Metres; nil if unknown.
  public var accuracyMetres: Double?
  /// Metres per second.
  public var speed: Double?
  /// Degrees clockwise from north, 0..<360.
  public var course: Double?
  /// Percent, 0...100.
  public var battery: Double?
  /// When it was measured or entered.
  public var recordedAt: WireTime
  /// 1 to 24 characters of `a-z 0-9 _ -`.
  public var source: String
  /// The name of the place if the user chose it by name; not sent to the server.
  public var placeName: String?

  public init(
    coordinate: Coordinate, accuracyMetres: Double? = nil, speed: Double? = nil,
    course: Double? = nil, battery: Double? = nil, recordedAt: WireTime,
    source: String = LocationFix.manualSource, placeName: String? = nil
  ) {
    self.coordinate = coordinate
    self.accuracyMetres = accuracyMetres
    self.speed = speed
    self.course = course
    self.battery = battery
    self.recordedAt = recordedAt
    self.source = source
    self.placeName = placeName
  }
}

/// Whether a device has moved between two fixes, or its receiver only drifts.
public enum Movement {
  /// Metres. Less is no movement, however accurate a receiver claims to be.
  static let least = 5.0
  /// Metres per second. A receiver that measures less stands still; walking is 1.4 m/s.
  static let stillSpeed = 0.5

  /// Whether the distance is larger than the accuracy of both fixes and 5 m; twice as large if the
  /// receiver says that it stands still.
  public static func isMovement(from start: LocationFix, to end: LocationFix) -> Bool {
    let noise = max(least, start.accuracyMetres ?? 0, end.accuracyMetres ?? 0)
    let isStill = end.speed.map { $0 < stillSpeed } ?? false
    return start.coordinate.distance(to: end.coordinate) > (isStill ? 2 * noise : noise)
  }
}

/// Passes on the fixes of a source that have something new: movement, a better accuracy, or that
/// the device is still there, once a minute.
public struct FixFilter: Sendable {
  /// While the device stands still, a fix is passed on this often at most.
  static let stillInterval = Duration.seconds(60)

  private var last: (fix: LocationFix, at: WireTime)?

  public init() {}

  /// - Parameter now: When the fix arrived.
  /// - Returns: Whether to pass the fix on.
  public mutating func passes(_ fix: LocationFix, at now: WireTime) -> Bool {
    if let last, !Movement.isMovement(from: last.fix, to: fix),
      !Self.isMoreAccurate(fix, than: last.fix),
      last.at.isRecent(within: Self.stillInterval, at: now)
    {
      return false
    }
    last = (fix, now)
    return true
  }

  /// Whether a fix is twice as accurate as another one.
  static func isMoreAccurate(_ fix: LocationFix, than last: LocationFix) -> Bool {
    guard let accuracy = fix.accuracyMetres else { return false }
    return last.accuracyMetres.map { accuracy < $0 / 2 } ?? true
  }
}

/// Whether a device has stood still for so long that it is measured less often.
struct Stillness {
  /// How long it must have stood still.
  static let patience = Duration.seconds(60)
  /// How often it is measured then: the shortest interval at which a position is sent, so that a
  /// movement is not noticed too late for it.
  static let interval = Duration.seconds(15)
  /// How much later it may be measured: long enough for a heartbeat of the realtime connection, so
  /// that both need one wake-up.
  static let tolerance = RealtimeProtocol.heartbeatInterval - Stillness.interval + .seconds(5)

  private var start: (fix: LocationFix, at: WireTime)?
  /// How many fixes there were since it stands still.
  private(set) var count = 0

  /// Takes a fix.
  ///
  /// - Parameter now: When it arrived.
  /// - Returns: Whether the device has stood still for the whole of `patience`.
  mutating func take(_ fix: LocationFix, at now: WireTime) -> Bool {
    guard let start, !Movement.isMovement(from: start.fix, to: fix), now >= start.at else {
      start = (fix, now)
      count = 1
      return false
    }
    count += 1
    return now.since(start.at) >= Self.patience
  }
}
