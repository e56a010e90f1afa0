import Foundation
import RallyRules
import RallyText
import RallyWire

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
