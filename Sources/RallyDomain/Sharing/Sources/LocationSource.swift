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
  /// Works off the main actor. A fix implies the state `running` or `paused`: send the state
  /// first, and both only when they tell something new (`FixFilter`), since every event wakes the
  /// main actor.
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

/// The state and the last fix of one source.
public struct LocationReading: Hashable, Sendable {
  public var source: String
  public var state = LocationSourceState.notAsked
  public var fix: LocationFix? {
    didSet { if fix == nil || !isCoarse { place = fix } }
  }
  /// The last fix that was no region.
  public private(set) var place: LocationFix?
  /// When the fix arrived, by this machine's clock; a receiver's clock may be wrong.
  public var arrivedAt: WireTime?
  /// How long a fix counts after it arrived.
  public var lifetime: Duration

  public init(source: String, lifetime: Duration = .seconds(600)) {
    self.source = source
    self.lifetime = lifetime
  }

  /// Metres. A fix that is less accurate tells a region and not a place: GeoClue finds such ones by
  /// the network's address, which may be that of a company or a VPN. It would not even tell in which
  /// cell of 10 km the device is.
  static let coarsest = 5000.0

  /// Whether its fix is too inaccurate to count.
  var isCoarse: Bool { (fix?.accuracyMetres ?? 0) > Self.coarsest }

  /// When its fix stops to count; nil without one, or while the source does not measure.
  var freshUntil: WireTime? {
    guard state.isMeasuring, fix != nil else { return nil }
    return arrivedAt?.advanced(by: lifetime)
  }

  /// Whether its fix is not older than its source allows.
  func isFresh(at now: WireTime) -> Bool { freshUntil.map { now < $0 } ?? false }

  /// The fix if it counts now.
  func measurement(at now: WireTime) -> LocationFix? {
    isFresh(at: now) && !isCoarse ? fix : nil
  }
}
