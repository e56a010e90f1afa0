import Foundation
import RallyRules
import RallyWire

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
