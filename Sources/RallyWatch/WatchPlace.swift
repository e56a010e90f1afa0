import FoundationEssentials
import RallyText
import RallyWire

/// Where somebody is, as a link shows it: what is in a message of the kind `.place`.
public struct WatchPlace: Hashable, Sendable, Codable {
  /// What the person is called.
  public var name: String
  public var mode: SharingMode
  /// nil while it is not known. Of a coarse link it is the middle of the announced cell.
  public var coordinate: Coordinate?
  public var accuracyMetres: Double?
  /// Metres a second; never of a coarse link, as little as the course.
  public var speed: Double?
  /// Degrees clockwise from north.
  public var course: Double?
  /// When it was measured; of a coarse link the quarter hour in which its cell was announced.
  public var recordedAt: WireTime?
  /// The nearest city to the coordinate, with its preposition: `in Lisbon`, `near Lisbon`.
  public var near: String?
  /// When the message was sealed: the terminal was there then.
  public var sentAt: WireTime
  /// When the link ends.
  public var until: WireTime
  /// The counter of the ground that belongs to it; nil for none.
  public var ground: Int64?

  public init(
    name: String, mode: SharingMode, coordinate: Coordinate? = nil, accuracyMetres: Double? = nil,
    speed: Double? = nil, course: Double? = nil, recordedAt: WireTime? = nil, near: String? = nil,
    sentAt: WireTime, until: WireTime, ground: Int64? = nil
  ) {
    self.name = name
    self.mode = mode
    self.coordinate = coordinate
    self.accuracyMetres = accuracyMetres
    self.speed = speed
    self.course = course
    self.recordedAt = recordedAt
    self.near = near
    self.sentAt = sentAt
    self.until = until
    self.ground = ground
  }

  /// The message's text, sealed. All names fit.
  ///
  /// - Throws: `EncodingError`.
  public func message(counter: Int64, of link: WatchAddress) throws -> WatchMessage {
    var place = self
    place.name = TextLimits.name.shown(name)
    place.near = near.map(TextLimits.name.shown)
    if let message = WatchMessage(try WireJSON.encode(place), .place, counter: counter, of: link) {
      return message
    }
    // Names that JSON writes longer.
    (place.name, place.near) = ("Your friend", nil)
    guard
      let message = WatchMessage(try WireJSON.encode(place), .place, counter: counter, of: link)
    else { preconditionFailure("The numbers of a place have a limited length.") }
    return message
  }

  /// What a message says.
  ///
  /// - Returns: nil where the key does not open it.
  /// - Throws: `DecodingError`.
  public init?(_ message: WatchMessage, of link: WatchAddress) throws {
    guard let text = message.opened(as: .place, of: link) else { return nil }
    self = try WireJSON.decode(WatchPlace.self, from: Data(text))
  }

  enum CodingKeys: String, CodingKey {
    case name, mode, latitude, longitude, speed, course, near, until, ground
    case accuracyMetres = "accuracy_m"
    case recordedAt = "recorded_at"
    case sentAt = "sent_at"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    mode = try container.decode(SharingMode.self, forKey: .mode)
    coordinate = container.contains(.latitude) ? try Coordinate(from: decoder) : nil
    accuracyMetres = try container.decodeIfPresent(Double.self, forKey: .accuracyMetres)
    speed = try container.decodeIfPresent(Double.self, forKey: .speed)
    course = try container.decodeIfPresent(Double.self, forKey: .course)
    recordedAt = try container.decodeIfPresent(WireTime.self, forKey: .recordedAt)
    near = try container.decodeIfPresent(String.self, forKey: .near)
    sentAt = try container.decode(WireTime.self, forKey: .sentAt)
    until = try container.decode(WireTime.self, forKey: .until)
    ground = try container.decodeIfPresent(Int64.self, forKey: .ground)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(mode, forKey: .mode)
    try container.encodeIfPresent(coordinate?.latitude, forKey: .latitude)
    try container.encodeIfPresent(coordinate?.longitude, forKey: .longitude)
    try container.encodeIfPresent(accuracyMetres, forKey: .accuracyMetres)
    try container.encodeIfPresent(speed, forKey: .speed)
    try container.encodeIfPresent(course, forKey: .course)
    try container.encodeIfPresent(recordedAt, forKey: .recordedAt)
    try container.encodeIfPresent(near, forKey: .near)
    try container.encode(sentAt, forKey: .sentAt)
    try container.encode(until, forKey: .until)
    try container.encodeIfPresent(ground, forKey: .ground)
  }
}
