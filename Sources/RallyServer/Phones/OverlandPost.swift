import Foundation
import RallyWire

/// A batch of Overland: features of GeoJSON (https://github.com/aaronpk/Overland-iOS).
///
/// The name of the network is in it, and is not read.
enum OverlandPost {
  private struct Batch: Decodable {
    var locations: [LooseElement<Feature>]
    /// The newest position, where many wait to be sent.
    var current: LooseElement<Feature>?
  }

  private struct Feature: Decodable {
    var fix: PhoneFix

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let place = (try? container.decode(Geometry.self, forKey: .geometry))?.coordinates ?? []
      let properties = try container.nestedContainer(keyedBy: Property.self, forKey: .properties)
      fix = PhoneFix(
        latitude: place.count > 1 ? place[1].value : nil, longitude: place.first?.value,
        accuracyMetres: properties.number(.accuracy), speed: properties.number(.speed),
        course: properties.number(.course), battery: properties.number(.battery).map { $0 * 100 },
        recordedAt: properties.text(.timestamp).flatMap { PhoneTime.time($0) })
    }

    struct Geometry: Decodable {
      var coordinates: [LooseNumber]
    }

    enum Key: String, CodingKey { case geometry, properties }

    enum Property: String, CodingKey {
      case timestamp, speed, course
      case accuracy = "horizontal_accuracy"
      case battery = "battery_level"
    }
  }

  static func parse(_ body: Data) -> PhonePost {
    guard let batch = try? WireJSON.decode(Batch.self, from: body) else {
      return PhonePost(problem: "The app sent something that is no batch of Overland.")
    }
    let features = batch.locations + [batch.current].compactMap(\.self)
    let fixes = features.compactMap { $0.value?.fix }
    // Visits and notes have no place and are no mistake; what is no feature at all is one.
    return PhonePost(
      fixes: fixes.filter { $0.latitude != nil || $0.longitude != nil },
      problem: fixes.count < features.count
        ? "The app sent a position that is no feature of GeoJSON." : nil)
  }
}
