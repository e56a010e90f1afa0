import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

/// What a lying server sends is read or refused by the client, soon.
@Suite struct ServerAnswerFuzzTests {
  private static let words: [JSONValue] = [
    nil, true, 0, -1, .integer(.max), .number(1e300), .number(-0.5), "", "ana", "accepted", "off",
    "precise", "00000000-0000-4000-8000-000000000000", "2026-01-01T00:00:00Z", "9999999-01-01",
    "a\u{0}b", "\u{202E}x", .string("e" + String(repeating: "\u{301}", count: 2000)), [], [:],
  ]
  private static let keys = [
    "id", "user_id", "username", "display_name", "status", "version", "created_at", "latitude",
    "longitude", "recorded_at", "precision", "title", "objectives", "members", "topic", "event",
    "payload", "data", "ids", "response", "postgres_changes", "record", "old_record", "type",
  ]

  private static func json(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 4 : 1), using: &random) {
    case 1:
      .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in json(depth - 1, &random) })
    case 2, 3:
      .object(
        Dictionary(
          (0..<Int.random(in: 0..<9, using: &random)).map { _ in
            (keys.randomElement(using: &random) ?? "", json(depth - 1, &random))
          }
        ) { $1 })
    default: words.randomElement(using: &random) ?? nil
    }
  }

  private static func answer(_ random: inout SeededGenerator) throws -> Data {
    var data = try WireJSON.encode(json(4, &random))
    if Int.random(in: 0..<4, using: &random) == 0, !data.isEmpty {
      data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    return data
  }

  private static func read<F: RemoteFunction>(_ function: F.Type, _ data: Data) {
    _ = try? WireJSON.decode(F.Output.self, from: data)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `answers of functions and refusals`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1500 {
      let data = try Self.answer(&random)
      let status = Int.random(in: 200..<600, using: &random)
      CPUTimeLimit.check(String(decoding: data, as: UTF8.self)) {
        Self.read(FetchFriends.self, data)
        Self.read(FetchFriendLocations.self, data)
        Self.read(FetchLocationSharing.self, data)
        Self.read(FetchMission.self, data)
        Self.read(FetchInvitations.self, data)
        _ = try? WireJSON.decode(AuthSession.self, from: data)
        let refusal = ServerAnswers.refusal(HTTPAnswer(status: status, body: data))
        #expect(!refusal.sentence.isEmpty)
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `messages of a socket in any state`(seed: UInt64) throws {
    let events = [
      "phx_reply", "phx_error", "phx_close", "system", "postgres_changes", "broadcast",
      "presence_state", "presence_diff", "heartbeat", "x",
    ]
    let topic = "realtime:a"
    var random = SeededGenerator(seed: seed)
    var rules = RealtimeProtocol()
    var second = 0
    for round in 0..<3000 {
      second += Int.random(in: 0...20, using: &random)
      let time = RealtimeProtocol.Time(monotonic: .seconds(second), wall: .now)
      let event: RealtimeProtocol.Event
      switch Int.random(in: 0..<12, using: &random) {
      case 0: event = .start
      case 1: event = .opened
      case 2: event = .join(topic: topic, ChannelConfiguration())
      case 3: event = .timer
      case 4 where round % 5 == 0: event = .closed
      default:
        event = .received(
          RealtimeMessage(
            topic: Bool.random(using: &random) ? topic : "phoenix",
            event: .init(rawValue: events.randomElement(using: &random) ?? ""),
            payload: Self.json(3, &random),
            ref: Bool.random(using: &random)
              ? nil : .string("\(Int.random(in: 0..<round + 1, using: &random))")))
      }
      CPUTimeLimit.check("\(event)") { _ = rules.handle(event, at: time) }
    }
  }
}
