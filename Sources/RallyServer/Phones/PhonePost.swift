import Foundation
import RallyRules
import RallyText
import RallyWire

/// What one request of an app says.
package struct PhonePost: Hashable, Sendable {
  var fixes: [PhoneFix]
  /// Why something in it cannot be understood, as a sentence; nil where nothing is wrong.
  var problem: String?
  /// Whether the reply lists friends.
  var wantsFriends: Bool

  package init(fixes: [PhoneFix] = [], problem: String? = nil, wantsFriends: Bool = false) {
    self.fixes = fixes
    self.problem = problem
    self.wantsFriends = wantsFriends
  }
}

/// A message of OwnTracks in HTTP mode (https://owntracks.org/booklet/tech/json/).
///
/// Names of networks and regions are in it, and are not read.
enum OwnTracksPost {
  static func parse(_ body: Data) -> PhonePost {
    // Sent when a friend is deleted in the app.
    guard !body.isEmpty else { return PhonePost() }
    guard let message = try? WireJSON.value(of: body), let type = message.text("_type") else {
      return PhonePost(problem: "The app sent something that is no message of OwnTracks.")
    }
    switch type {
    case "location": return PhonePost(fixes: [fix(message)], wantsFriends: true)
    case "encrypted":
      return PhonePost(
        problem: "The app encrypts its messages, which this server cannot read;"
          + " clear the encryption key in the app.")
    default: return PhonePost(wantsFriends: true)
    }
  }

  private static func fix(_ message: JSONValue) -> PhoneFix {
    PhoneFix(
      latitude: message.number("lat"), longitude: message.number("lon"),
      accuracyMetres: message.number("acc"), speed: message.number("vel").map { $0 / 3.6 },
      course: message.number("cog"), battery: message.number("batt"),
      recordedAt: PhoneTime.time(seconds: message.number("tst")))
  }
}

/// A batch of Overland: features of GeoJSON (https://github.com/aaronpk/Overland-iOS).
///
/// The name of the network is in it, and is not read.
enum OverlandPost {
  static func parse(_ body: Data) -> PhonePost {
    guard let batch = try? WireJSON.value(of: body), let locations = batch["locations"]?.array
    else { return PhonePost(problem: "The app sent something that is no batch of Overland.") }
    // The newest position, where many wait to be sent.
    let current = batch["current"]?.unlessNull
    let features = locations + [current].compactMap(\.self)
    let fixes = features.compactMap(fix)
    // Visits and notes have no place and are no mistake; what is no feature at all is one.
    return PhonePost(
      fixes: fixes.filter { $0.latitude != nil || $0.longitude != nil },
      problem: fixes.count < features.count
        ? "The app sent a position that is no feature of GeoJSON." : nil)
  }

  /// nil for what is no feature.
  private static func fix(_ feature: JSONValue) -> PhoneFix? {
    guard let properties = feature["properties"], properties.object != nil else { return nil }
    let place = feature["geometry"]?["coordinates"]?.array ?? []
    return PhoneFix(
      latitude: place.count > 1 ? place[1].looseNumber : nil, longitude: place.first?.looseNumber,
      accuracyMetres: properties.number("horizontal_accuracy"), speed: properties.number("speed"),
      course: properties.number("course"),
      battery: properties.number("battery_level").map { $0 * 100 },
      recordedAt: properties.text("timestamp").flatMap { PhoneTime.time($0) })
  }
}

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

/// The parameters of an app that sends `name=value`, in a query or as a form.
struct PhoneQuery: Hashable, Sendable {
  /// The credential is in one of these.
  private static let secretNames = ["id", "deviceid", "device_id"]

  private var values: [String: String] = [:]

  /// - Returns: nil for bytes that are no UTF-8 text.
  init?(_ text: String?) {
    guard let items = try? QueryItem.all(in: text) else { return nil }
    for item in items { values[item.name] = item.value }
  }

  var secret: AccessSecret? {
    PhoneQuery.secretNames.lazy.compactMap { values[$0].flatMap { AccessSecret($0) } }.first
  }

  /// Whether it names who sends it.
  var namesDevice: Bool { PhoneQuery.secretNames.contains { values[$0] != nil } }

  /// - Parameter metresPerSecond: What one unit of the app's speed is.
  func post(metresPerSecond: Double) -> PhonePost {
    var latitude = number("lat", "latitude")
    var longitude = number("lon", "long", "longitude")
    if let both = values["location"]?.split(separator: ","), both.count == 2 {
      latitude = latitude ?? Double(both[0])
      longitude = longitude ?? Double(both[1])
    }
    return PhonePost(
      fixes: [
        PhoneFix(
          latitude: latitude, longitude: longitude, accuracyMetres: number("accuracy", "acc"),
          speed: number("speed", "spd").map { $0 * metresPerSecond },
          course: number("bearing", "heading", "dir"), battery: number("batt"),
          recordedAt: ["timestamp", "time"].lazy.compactMap { values[$0] }.first
            .flatMap { PhoneTime.time($0) },
          isValid: values["valid"].map { $0 == "1" || $0.lowercased() == "true" } ?? true)
      ])
  }

  private func number(_ names: String...) -> Double? {
    names.lazy.compactMap { values[$0] }.first.flatMap { Double($0) }
      .flatMap { $0.isFinite ? $0 : nil }
  }
}
