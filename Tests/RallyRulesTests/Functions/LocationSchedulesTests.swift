import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Positions while bonds come and go: at any moment a reader is a friend, or just was.
@Suite(.everyEngine) struct LocationSchedulesTests {
  private static let people = 4
  private static let rounds = 20

  /// Who learned of whose position.
  private struct Sighting: Hashable, Sendable {
    var reader: Int
    var person: Int
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func `only friends read and hear of positions, whatever else happens at that moment`(
    _ seed: UInt64
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(
      members: Self.people, at: ServerWorld.noon, tables: ["locations"],
      monitor: StatementMonitor(pauses: seed))
    for person in world.members.indices { try await world.share(.precise, of: person) }
    var before = FriendModel()
    for round in 0..<Self.rounds {
      world.now = world.now.advanced(by: .seconds(60))
      let calls = Self.calls(round, using: &numbers)
      let seen = try await Self.perform(calls, in: world)
      let after = try await world.friendModel()
      let allowed = Self.friends(before).union(Self.friends(after)).union(Self.passing(calls))
      #expect(seen.subtracting(allowed).isEmpty, "\(before), \(calls), \(after)")
      // Nothing goes on any more: friends see each other, all of them, and nobody else does.
      world.now = world.now.advanced(by: .seconds(60))
      #expect(try await Self.perform([], in: world) == Self.friends(after))
      before = after
    }
    #expect(!before.gone.isEmpty)
  }

  /// Lets all calls run at once, while everybody publishes, reads and hears of positions.
  private static func perform(
    _ calls: [FriendModel.Call], in world: ServerWorld
  ) async throws -> Set<Sighting> {
    let numbers = Dictionary(
      uniqueKeysWithValues: world.members.enumerated().map { ($1.id.wireText, $0) })
    // A place that is new to everybody, in this round and in no other.
    let minute = Double(world.now.since(ServerWorld.noon) / .seconds(60))
    let place = Coordinate.at(30 + minute / 4, 10)
    var seen = try await withThrowingTaskGroup(of: Set<Sighting>.self) { tasks in
      for call in calls {
        tasks.addTask {
          _ = try await world.perform(call, UUID())
          return []
        }
      }
      for me in world.members.indices {
        tasks.addTask {
          try await world.call(
            PublishLocations(locations: [.sample(place, at: world.now)]), as: me)
          return []
        }
        if !calls.isEmpty { tasks.addTask { try await reads(of: me, in: world, numbers) } }
      }
      return try await tasks.reduce(into: Set()) { $0.formUnion($1) }
    }
    try await world.turn()
    for me in world.members.indices {
      for frame in await world.frames(for: me) {
        let data = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))["payload"]?["data"]
        guard let id = data?["record"]?["user_id"]?.string, let person = numbers[id] else {
          continue
        }
        if person != me { seen.insert(Sighting(reader: me, person: person)) }
      }
    }
    guard calls.isEmpty else { return seen }
    for me in world.members.indices {
      #expect(try await reads(of: me, in: world, numbers) == seen.filter { $0.reader == me })
    }
    return seen
  }

  private static func reads(
    of me: Int, in world: ServerWorld, _ numbers: [String: Int]
  ) async throws -> Set<Sighting> {
    let answer = try await Data(world.call(FetchFriendLocations(), as: me).utf8)
    // Somebody who is gone is refused.
    let rows = (try? WireJSON.decode([LocationRecord].self, from: answer)) ?? []
    return Set(
      rows.compactMap { row in
        numbers[row.userID.wireText].map { Sighting(reader: me, person: $0) }
      })
  }

  /// Asking and answering, with its opposite close behind; towards the end somebody vanishes.
  private static func calls(
    _ round: Int, using numbers: inout SeededGenerator
  ) -> [FriendModel.Call] {
    var calls = (0..<Int.random(in: 2...5, using: &numbers)).map { _ in
      let by = Int.random(in: 0..<people, using: &numbers)
      let about = (by + Int.random(in: 1..<people, using: &numbers)) % people
      let acts: [FriendModel.Act] = [.ask, .ask, .ask, .accept, .accept, .remove, .block, .unblock]
      return FriendModel.Call(
        act: acts[Int.random(in: acts.indices, using: &numbers)], by: by, about: about)
    }
    if round == rounds - 3 {
      calls.append(FriendModel.Call(act: .vanish, by: 0, about: 0))
    }
    return calls
  }

  private static func friends(_ state: FriendModel) -> Set<Sighting> {
    both(state.bonds.filter { $0.value == .friends }.map { ($0.key.smaller, $0.key.larger) })
  }

  /// Those who may have been friends for a moment.
  private static func passing(_ calls: [FriendModel.Call]) -> Set<Sighting> {
    both(calls.filter { [.ask, .accept].contains($0.act) }.map { ($0.by, $0.about) })
  }

  private static func both(_ pairs: [(Int, Int)]) -> Set<Sighting> {
    Set(
      pairs.flatMap {
        [Sighting(reader: $0, person: $1), Sighting(reader: $1, person: $0)]
      })
  }
}
