import Foundation
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Uncut bytes never leave: of two worlds that differ only in what a reader may not see, the reader
/// gets the same answers, rows, frames, counts, versions and calendar, byte for byte and at the same
/// times.
///
/// The worlds differ in places within the same cells and in when and how often they are reported, in
/// what a ghost does, in who of the people whom the reader does not know of does what in a mission
/// of both, in who is on the way there seen by others only, and in their profiles, positions and missions.
@Suite(.everyEngine) struct UncutBytesTests {
  private typealias Role = PairedWorld.Role

  private static let filters = [
    "latitude=neq.0", "accuracy_m=neq.0", "speed=neq.0", "battery=neq.0", "source=eq.gps",
    "version=in.(1,2,3,4,5)", "recorded_at=eq.2026-08-01T12:15:00.000000+00:00",
    "latitude=in.(38.7083333,38.6250000,38.7208333,38.7125)",
  ]

  /// Every function that only reads, asked in every way that could tell something.
  private static func reads(_ pair: PairedWorld) throws -> [any RemoteFunction] {
    let (world, id) = (pair.world, pair.mission.id)
    var reads: [any RemoteFunction] = [
      FetchFriends(query: nil), SearchPeople(query: "person"), SearchPeople(query: "name"),
      FetchFriendRequests(direction: .incoming), FetchFriendRequests(direction: .outgoing),
      FetchBlockedUsers(), FetchProfiles(userIDs: world.members.map(\.id)),
      FetchFriendLocations(), FetchLocationSharing(), FetchPhones(), FetchSSHKeys(),
      FetchLocationAsks(), FetchComing(), FetchComing(missionID: id),
      FetchMission(missionID: id),
      FetchMissionActivity(missionID: id), FetchMissionActivity(), FetchInvitations(),
      FetchPrivacyRules(), FetchCalendarAddress(), FetchWatchLinks(),
      FetchInvitation(code: try InvitationCode("7QK2MX9PTF")),
      FetchMissionActivity(missionID: id, limit: 2),
      FetchMissionActivity(before: pair.begin.advanced(by: .seconds(-600)), limit: 3),
    ]
    reads += world.members.map { FetchFriendshipStatus(userID: $0.id) }
    reads += MissionScope.allCases.map { FetchMissions(scope: $0, around: .lisbon) }
    for quarters in -2...0 {
      for rest in [-1, 0, 450_000_000] as [Int64] {
        reads.append(
          FetchFriendLocations(
            since: WireTime(
              microseconds: world.now.quarterHour.microseconds + Int64(quarters) * 900_000_000
                + rest)))
      }
    }
    return reads
  }

  /// What the reader's calendar program gets.
  private static func calendar(_ pair: PairedWorld) async throws -> String {
    let (world, now) = (pair.world, pair.world.now)
    let reader = world.members[Role.reader.rawValue].caller.userID
    let missions = try await world.storage.read {
      try CalendarFunctions.missions(of: reader, at: now, in: $0)
    }
    return MissionCalendar(missions, now: now).text
  }

  /// Everything that the reader can ask, with ids of chance replaced by the order in which the reader
  /// met them.
  private struct Reader {
    private var names: [Substring: Int] = [:]

    mutating func observe(_ pair: PairedWorld, heard: [String]) async throws -> [String] {
      let (world, me) = (pair.world, Role.reader.rawValue)
      var seen = heard
      for read in try UncutBytesTests.reads(pair) {
        seen.append(try await world.call(read, as: me))
      }
      seen.append(try await UncutBytesTests.calendar(pair))
      for table in ReadableTable.allCases {
        let rows = try await world.rows(of: table, as: me)
        seen.append("\(table) \(try WireJSON.text(JSONValue.array(rows.map(JSONValue.object))))")
      }
      return seen.map { named($0) }
    }

    private mutating func named(_ text: String) -> String {
      let id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
      return text.replacing(id) { match in
        let number = names[match.output] ?? names.count
        names[match.output] = number
        return "#\(number)"
      }
    }
  }

  @Test(arguments: GridLevel.allCases, [11, 12] as [UInt64])
  func `whoever may not see a difference gets none`(_ level: GridLevel, _ seed: UInt64) async throws
  {
    var numbers = SeededGenerator(seed: seed)
    let script = PairedWorld.script(36, level: level, using: &numbers)
    var one = try await PairedWorld(script, seed: seed + 100, filters: Self.filters)
    var other = try await PairedWorld(script, seed: seed + 200, filters: Self.filters)
    var (reader, twin) = (Reader(), Reader())
    var heard = 0
    for (index, step) in script.enumerated() {
      let frames = try await (one.perform(step), other.perform(step))
      let seen = try await reader.observe(one, heard: frames.0)
      let theirs = try await twin.observe(other, heard: frames.1)
      let difference = zip(theirs, seen).first { $0 != $1 }
      #expect(
        theirs == seen,
        "step \(index): \(step), \(difference.map { "\($0.0)\n\($0.1)" } ?? "not as many")")
      if theirs != seen { return }
      heard += frames.0.count
    }
    // Of moves between large cells, which are announced late, few fall within the script.
    #expect(heard > (level == .oneKilometre ? 10 : 0) || !SeededGenerator.isUsual)
    // Those who may see the differences do, and the mission came to its end.
    let confidant = Role.confidant.rawValue
    #expect(await one.world.frames(for: confidant) != other.world.frames(for: confidant))
    let mission = try await one.world.mission(one.mission.id, as: Role.reader.rawValue)
    #expect(mission.state == .completed)
  }

  @Test func `no function that reads is forgotten`() async throws {
    let pair = try await PairedWorld([], seed: 1)
    let table = FunctionTable(presence: PresentUsers(), moves: try .immediate())
    let reading = table.names.filter { table[$0]?.isReadOnly == true }
    let asked = try Self.reads(pair).map { type(of: $0).name }
    // What it answers are the answers of these, with digests that differ from server to server.
    #expect(Set(reading) == Set(asked).union([CatchUp.name]))
  }
}
