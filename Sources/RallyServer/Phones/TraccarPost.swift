import Foundation
import RallyRules
import RallyText
import RallyWire

/// What Traccar Client sends (https://www.traccar.org/osmand): its older form, which `PhoneQuery`
/// reads, with speeds in knots, or JSON.
enum TraccarPost {
  /// Metres a second.
  static let knot = 0.514_444

  /// - Returns: The text that stands for the credential, and what is said.
  static func parse(_ body: Data) -> (secret: AccessSecret?, post: PhonePost) {
    guard let message = try? WireJSON.value(of: body), message.object != nil else {
      return (nil, PhonePost(problem: "The app sent something that is no message of Traccar."))
    }
    let location = message["location"]
    let fixes = (location?.array ?? [location].compactMap(\.self)).compactMap(fix)
    return (
      message.text("device_id").flatMap { AccessSecret($0) },
      PhonePost(
        fixes: fixes, problem: fixes.isEmpty ? "The app sent a message without a position." : nil)
    )
  }

  /// nil for what is no location.
  private static func fix(_ location: JSONValue) -> PhoneFix? {
    guard let place = location["coords"], place.object != nil else { return nil }
    return PhoneFix(
      latitude: place.number("latitude"), longitude: place.number("longitude"),
      accuracyMetres: place.number("accuracy"), speed: place.number("speed"),
      course: place.number("heading"),
      battery: location["battery"]?.number("level").map { $0 * 100 },
      recordedAt: location.text("timestamp").flatMap { PhoneTime.time($0) }
        ?? location.number("timestamp").flatMap { PhoneTime.time("\($0)") },
      isValid: location["valid"]?.bool ?? true)
  }
}
