import RallyRules
import RallyWire

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

  /// Whether it is meant to tell who sends it.
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
