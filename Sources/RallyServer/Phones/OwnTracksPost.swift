import Foundation
import RallyWire

/// A message of OwnTracks in HTTP mode (https://owntracks.org/booklet/tech/json/).
///
/// Names of networks and regions are in it, and are not read.
enum OwnTracksPost {
  private struct Message: Decodable {
    var type: String
    var fix: PhoneFix

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      type = try container.decode(String.self, forKey: .type)
      fix = PhoneFix(
        latitude: container.number(.lat), longitude: container.number(.lon),
        accuracyMetres: container.number(.acc),
        speed: container.number(.vel).map { $0 / 3.6 }, course: container.number(.cog),
        battery: container.number(.batt),
        recordedAt: PhoneTime.time(seconds: container.number(.tst)))
    }

    enum Key: String, CodingKey {
      case lat, lon, acc, vel, cog, batt, tst
      case type = "_type"
    }
  }

  static func parse(_ body: Data) -> PhonePost {
    // Sent when a friend is deleted in the app.
    guard !body.isEmpty else { return PhonePost() }
    guard let message = try? WireJSON.decode(Message.self, from: body) else {
      return PhonePost(problem: "The app sent something that is no message of OwnTracks.")
    }
    switch message.type {
    case "location": return PhonePost(fixes: [message.fix], wantsFriends: true)
    case "encrypted":
      return PhonePost(
        problem: "The app encrypts its messages, which this server cannot read;"
          + " clear the encryption key in the app.")
    default: return PhonePost(wantsFriends: true)
    }
  }
}
