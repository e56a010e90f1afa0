import RallyWire

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
