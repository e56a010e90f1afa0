import Foundation
import RallyWire

/// What a reply to OwnTracks may hold. Numbers are whole where the apps read whole ones.
package enum OwnTracksMessage: Hashable, Sendable, Encodable {
  case location(OwnTracksLocation)
  case card(OwnTracksCard)
  case command(OwnTracksCommand)

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .location(let location): try location.encode(to: encoder)
    case .card(let card): try card.encode(to: encoder)
    case .command(let command): try command.encode(to: encoder)
    }
  }
}

/// Where a friend is, as the phone's owner may see it.
package struct OwnTracksLocation: Hashable, Sendable, Encodable {
  let type = "location"
  /// See `TrackerIDs`.
  var tid: String
  var lat: Double
  var lon: Double
  /// Seconds since 1970.
  var tst: Int64
  /// Metres; the size of the cell where the position is coarse.
  var acc: Int?
  /// Kilometres an hour.
  var vel: Int?
  /// Degrees.
  var cog: Int?
  /// Percent.
  var batt: Int?
  var topic: String

  init(_ row: LocationRecord, tid: String, topic: String) {
    self.tid = tid
    self.topic = topic
    lat = row.latitude
    lon = row.longitude
    tst = row.recordedAt.microseconds / 1_000_000
    acc = row.accuracyMetres.map { Int($0.rounded(.up)) }
    vel = row.speed.map { Int(($0 * 3.6).rounded()) }
    cog = row.course.map { Int($0.rounded()) % 360 }
    batt = row.battery.map { Int($0.rounded()) }
  }

  enum CodingKeys: String, CodingKey {
    case tid, lat, lon, tst, acc, vel, cog, batt, topic
    case type = "_type"
  }
}

/// Who a friend is.
package struct OwnTracksCard: Hashable, Sendable, Encodable {
  let type = "card"
  var tid: String
  var name: String
  var topic: String

  enum CodingKeys: String, CodingKey {
    case tid, name, topic
    case type = "_type"
  }
}

/// What the app is asked to do. The apps on Android do not obey it in HTTP mode; those on iOS do
/// where the settings `cmd` and `allowRemoteLocation` are on, see `PhoneSetup`.
package struct OwnTracksCommand: Hashable, Sendable, Encodable {
  /// Send the position now.
  static let reportLocation = OwnTracksCommand(action: "reportLocation")

  let type = "cmd"
  let action: String

  enum CodingKeys: String, CodingKey {
    case action
    case type = "_type"
  }
}
