import Foundation
import RallyWire

/// What Traccar Client sends (https://www.traccar.org/osmand): its older form, which `PhoneQuery`
/// reads, with speeds in knots, or JSON.
enum TraccarPost {
  /// Metres a second.
  static let knot = 0.514_444

  private struct Message: Decodable {
    var deviceID: String?
    var locations: [Location]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      deviceID = container.text(.deviceID)
      if let many = try? container.decode([LooseElement<Location>].self, forKey: .location) {
        locations = many.compactMap(\.value)
      } else {
        locations = (try? container.decode(Location.self, forKey: .location)).map { [$0] } ?? []
      }
    }

    enum Key: String, CodingKey {
      case location
      case deviceID = "device_id"
    }
  }

  private struct Location: Decodable {
    var fix: PhoneFix

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let place = try container.nestedContainer(keyedBy: Coordinates.self, forKey: .coords)
      let battery = try? container.nestedContainer(keyedBy: Battery.self, forKey: .battery)
      fix = PhoneFix(
        latitude: place.number(.latitude), longitude: place.number(.longitude),
        accuracyMetres: place.number(.accuracy), speed: place.number(.speed),
        course: place.number(.heading), battery: battery?.number(.level).map { $0 * 100 },
        recordedAt: container.text(.timestamp).flatMap { PhoneTime.time($0) }
          ?? container.number(.timestamp).flatMap { PhoneTime.time("\($0)") },
        isValid: (try? container.decode(Bool.self, forKey: .valid)) ?? true)
    }

    enum Key: String, CodingKey { case timestamp, coords, battery, valid }
    enum Coordinates: String, CodingKey { case latitude, longitude, accuracy, speed, heading }
    enum Battery: String, CodingKey { case level }
  }

  /// - Returns: The text that stands for the credential, and what is said.
  static func parse(_ body: Data) -> (secret: AccessSecret?, post: PhonePost) {
    guard let message = try? WireJSON.decode(Message.self, from: body) else {
      return (nil, PhonePost(problem: "The app sent something that is no message of Traccar."))
    }
    let fixes = message.locations.map(\.fix)
    return (
      message.deviceID.flatMap { AccessSecret($0) },
      PhonePost(
        fixes: fixes, problem: fixes.isEmpty ? "The app sent a message without a position." : nil)
    )
  }
}
