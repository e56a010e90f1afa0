import RallySystem
import RallyWire

/// A call to GeoClue 2
/// (https://www.freedesktop.org/software/geoclue/docs/gdbus-org.freedesktop.GeoClue2.Manager.html).
enum GeoClueCall: Equatable {
  /// Makes the object by which this program asks, and starts GeoClue if it does not run.
  case getClient
  /// Sets a property of the client.
  case set(String, Property, of: String)
  case start(String)
  case stop(String)
  case deleteClient(String)
  /// Asks whether the desktop lets the client measure.
  case activity(String)
  case location(String)

  enum Property: Equatable {
    case text(String)
    case number(UInt32)
  }

  static let service = "org.freedesktop.GeoClue2"
  static let manager = BusObject(
    service: service, path: "/org/freedesktop/GeoClue2/Manager",
    interface: "org.freedesktop.GeoClue2.Manager")
  static let client = "org.freedesktop.GeoClue2.Client"
  static let properties = "org.freedesktop.DBus.Properties"
  private static let location = "org.freedesktop.GeoClue2.Location"

  /// How the call is written.
  struct Form {
    var object: BusObject
    var method: String
    var arguments: [BusArgument] = []
    /// The bus may start GeoClue for it.
    var startsService = false
    /// GeoClue answers only when the person, or the desktop's agent, has decided.
    var waitsForPermission = false
  }

  var form: Form {
    switch self {
    case .getClient:
      Form(
        object: Self.manager, method: "GetClient", startsService: true, waitsForPermission: true)
    case .deleteClient(let path):
      Form(object: Self.manager, method: "DeleteClient", arguments: [.path(path)])
    case .start(let path):
      Form(object: Self.object(path, Self.client), method: "Start", waitsForPermission: true)
    case .stop(let path): Form(object: Self.object(path, Self.client), method: "Stop")
    case .set(let name, let value, let path):
      Form(
        object: Self.object(path, Self.properties), method: "Set",
        arguments: [.text(Self.client), .text(name), value.argument])
    case .activity(let path):
      Form(
        object: Self.object(path, Self.properties), method: "GetAll",
        arguments: [.text(Self.client)])
    case .location(let path):
      Form(
        object: Self.object(path, Self.properties), method: "GetAll",
        arguments: [.text(Self.location)])
    }
  }

  private static func object(_ path: String, _ interface: String) -> BusObject {
    BusObject(service: service, path: path, interface: interface)
  }
}

extension GeoClueCall.Property {
  fileprivate var argument: BusArgument {
    switch self {
    case .text(let text): BusArgument.text(text).variant
    case .number(let number): BusArgument.unsigned(number).variant
    }
  }
}

/// A location object of GeoClue 2 as its interface `org.freedesktop.GeoClue2.Location` defines it.
enum GeoClueLocation: Equatable {
  case fix(LocationFix)
  /// It was measured too long ago: GeoClue begins with what it remembers.
  case old
  /// Values of wrong types, or outside of the globe.
  case invalid

  /// Older positions do not say where the device is.
  private static let lifetime = Duration.seconds(600)
  /// A time that is further ahead is that of a wrong clock.
  private static let clockTolerance = Duration.seconds(30)

  /// - Parameter values: The properties of the object. Degrees, metres, metres per second; speed and
  ///   heading are -1 where they are not known.
  init(_ values: [String: BusValue], at now: WireTime) {
    func real(_ name: String, in range: ClosedRange<Double>) -> Double? {
      guard case .real(let number) = values[name], range.contains(number) else { return nil }
      return number
    }
    guard let latitude = real("Latitude", in: -90...90),
      let longitude = real("Longitude", in: -180...180),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude),
      !coordinate.isUnmeasured, let accuracy = real("Accuracy", in: 0...100_000_000)
    else {
      self = .invalid
      return
    }
    var time = Self.time(values) ?? now
    if time.since(now) > Self.clockTolerance { time = now }
    guard now.since(time) <= Self.lifetime else {
      self = .old
      return
    }
    self = .fix(
      LocationFix(
        coordinate: coordinate,
        // GeoClue says 0 of an ideal constellation of satellites, and nobody measures that well.
        accuracyMetres: accuracy == 0 ? nil : min(accuracy, 10_000_000),
        speed: real("Speed", in: 0...100_000),
        course: real("Heading", in: 0...360).map { $0 == 360 ? 0 : $0 },
        recordedAt: min(time, now), source: GeoClueSession.name))
  }

  /// When it was measured; nil if that is not a time.
  private static func time(_ values: [String: BusValue]) -> WireTime? {
    guard case .integer(let seconds) = values["Timestamp/0"],
      case .integer(let microseconds) = values["Timestamp/1"],
      (0..<253_402_300_800).contains(seconds), (0..<1_000_000).contains(microseconds)
    else { return nil }
    return WireTime(microseconds: seconds * 1_000_000 + microseconds)
  }
}
