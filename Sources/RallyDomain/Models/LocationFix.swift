import RallyWire

/// A position of this device or of the person at it, as measured or said.
public struct LocationFix: Hashable, Sendable, Codable {
  /// What the person typed themselves.
  public static let manualSource = "manual"

  public var coordinate: Coordinate
  /// Metres; nil where it is not known.
  public var accuracyMetres: Double?
  /// Metres a second.
  public var speed: Double?
  /// Degrees clockwise from north, 0..<360.
  public var course: Double?
  /// Percent, 0...100.
  public var battery: Double?
  /// When it was measured, or said.
  public var recordedAt: WireTime
  /// A word of 1 to 24 of `a-z 0-9 _ -`.
  public var source: String
  /// The place's name where the person chose it by that; stays on this machine.
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
