import FoundationEssentials
import RallyText
import RallyWire

/// A message of gpsd's JSON protocol, as far as it is needed here
/// (https://gpsd.io/gpsd_json.html).
enum GPSDMessage: Equatable {
  case version(major: Int, release: String)
  /// The paths of the receivers.
  case devices([String])
  /// A receiver came or went.
  case device(String, isActive: Bool)
  case report(Report)
  case satellites(used: Int, seen: Int)
  /// The answer to `?POLL;`: the newest report of each receiver, and gpsd's clock.
  case poll([Report], at: WireTime?)
  /// A class that is not needed, or one that came later than this program.
  case other

  /// Time, position and velocity (TPV) of one receiver.
  struct Report: Equatable {
    /// The receiver's path; empty where gpsd does not name it.
    var device = ""
    /// 0 and 1: no fix; 2: without altitude; 3: with it.
    var mode: Int
    /// By the receiver's clock.
    var time: WireTime?
    var coordinate: Coordinate?
    /// Metres: the estimated error of the position, else the larger one of its two parts.
    var accuracyMetres: Double?
    /// Metres per second.
    var speed: Double?
    /// Degrees, 0..<360.
    var course: Double?

    /// Whether an error was said to be below 0, which is no measurement.
    var isInvalid = false

    var hasFix: Bool {
      mode >= 2 && !isInvalid && coordinate.map { !$0.isUnmeasured } ?? false
    }
  }

  /// - Returns: nil for what is no message of gpsd. Fields of a wrong type count as missing.
  init?(_ line: [UInt8]) {
    guard let fields = try? WireJSON.decode(JSONValue.self, from: Data(line)),
      let kind = fields["class"]?.string
    else { return nil }
    switch kind {
    case "VERSION":
      self = .version(
        major: Self.integer(fields["proto_major"]) ?? 0, release: fields["release"]?.string ?? ""
      )
    case "DEVICES":
      self = .devices(Self.objects(fields["devices"]).compactMap { $0["path"]?.string })
    case "DEVICE":
      guard let path = fields["path"]?.string else { return nil }
      // `activated` is a time, and 0 or missing once the receiver is gone.
      self = .device(path, isActive: fields["activated"]?.string != nil)
    case "TPV": self = .report(Report(fields))
    case "SKY":
      let satellites = Self.objects(fields["satellites"])
      let used = Self.integer(fields["uSat"]) ?? satellites.count { $0["used"]?.bool == true }
      let seen = Self.integer(fields["nSat"]) ?? satellites.count
      // A SKY without either tells only the precision.
      guard fields["nSat"] != nil || fields["satellites"] != nil else {
        self = .other
        return
      }
      self = .satellites(used: min(max(0, used), 999), seen: min(max(0, seen), 999))
    case "POLL":
      self = .poll(
        Self.objects(fields["tpv"]).map(Report.init),
        at: fields["time"]?.string.flatMap { WireTime($0) })
    default: self = .other
    }
  }

  private static func objects(_ value: JSONValue?) -> [JSONValue] {
    (value?.array ?? []).filter { $0.object != nil }
  }

  fileprivate static func number(_ value: JSONValue?, in range: ClosedRange<Double>) -> Double? {
    let number: Double
    switch value {
    case .integer(let value): number = Double(value)
    case .number(let value): number = value
    default: return nil
    }
    return range.contains(number) ? number : nil
  }

  fileprivate static func integer(_ value: JSONValue?) -> Int? {
    number(value, in: -1_000_000...1_000_000).map { Int($0) }
  }
}

extension GPSDMessage.Report {
  /// Limits are those of `publish_locations`.
  fileprivate init(_ fields: JSONValue) {
    device = fields["device"]?.string ?? ""
    mode = GPSDMessage.integer(fields["mode"]) ?? 0
    time = fields["time"]?.string.flatMap { WireTime($0) }
    if let latitude = GPSDMessage.number(fields["lat"], in: -90...90),
      let longitude = GPSDMessage.number(fields["lon"], in: -180...180)
    {
      coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }
    func metres(_ key: String) -> Double? {
      GPSDMessage.number(fields[key], in: 0...10_000_000)
    }
    accuracyMetres = metres("eph") ?? [metres("epx"), metres("epy")].compactMap(\.self).max()
    isInvalid = ["eph", "epx", "epy"].contains {
      GPSDMessage.number(fields[$0], in: -.greatestFiniteMagnitude...0).map { $0 < 0 } ?? false
    }
    speed = GPSDMessage.number(fields["speed"], in: 0...100_000)
    course = GPSDMessage.number(fields["track"], in: 0...360).map { $0 == 360 ? 0 : $0 }
  }
}
