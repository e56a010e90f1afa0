import Foundation

/// A reply as the Android app reads it: an array of objects, each with a known `_type` and whole
/// numbers where the app has whole ones. Anything else leaves the phone's queue stuck.
struct OwnTracksReply: Decodable, Sendable {
  struct Location: Decodable, Hashable, Sendable {
    var tid: String
    var lat: Double
    var lon: Double
    var tst: Int64
    var acc: Int?
    var vel: Int?
    var cog: Int?
    var batt: Int?
    var topic: String
  }

  struct Card: Decodable, Hashable, Sendable {
    var tid: String
    var name: String
    var topic: String
  }

  private struct Command: Decodable {
    /// What the apps know; see the booklet, "_type=cmd".
    enum Action: String, Decodable { case reportLocation, reportSteps, dump, waypoints }
    var action: Action
  }

  private enum Key: String, CodingKey { case type = "_type" }

  var locations: [Location] = []
  var cards: [Card] = []
  var commands: [String] = []

  init(_ body: Data) throws { self = try JSONDecoder().decode(OwnTracksReply.self, from: body) }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var ahead = container
    while !container.isAtEnd {
      let type = try ahead.nestedContainer(keyedBy: Key.self).decode(String.self, forKey: .type)
      switch type {
      case "location": locations.append(try container.decode(Location.self))
      case "card": cards.append(try container.decode(Card.self))
      case "cmd": commands.append(try container.decode(Command.self).action.rawValue)
      default:
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "the app knows no \(type)")
      }
    }
  }
}
