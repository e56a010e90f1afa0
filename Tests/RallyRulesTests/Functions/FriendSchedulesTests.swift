import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// Hundreds of rounds in which several people call at once; what they are answered and what is
/// left must be what some order of the calls, one after the other, would have given.
@Suite(.everyEngine) struct FriendSchedulesTests {
  private static let people = 3
  private static let rounds = 25

  private struct Step: Sendable {
    var call: FriendModel.Call
    var clientID = UUID()
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
  func `calls at the same time are as if they came one after the other`(
    _ seed: UInt64
  ) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await Self.world(of: Self.people, seed: seed)
    var state = FriendModel()
    for _ in 0..<Self.rounds {
      let steps = (0..<Int.random(in: 2...5, using: &numbers)).map { _ in
        Self.step(among: Self.people, using: &numbers)
      }
      state = try await Self.perform(steps, after: state, in: world)
    }
  }

  @Test(arguments: [UInt64(11), 12, 13, 14, 15, 16, 17, 18])
  func `an account that is deleted meanwhile leaves nothing behind`(_ seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    let people = 5
    let world = try await Self.world(of: people, seed: seed)
    var state = FriendModel()
    for person in 0..<people - 1 {
      // Some bonds first, so that there is something to lose.
      for _ in 0..<2 {
        let steps = (0..<4).map { _ in Self.step(among: people, using: &numbers) }
        state = try await Self.perform(steps, after: state, in: world)
      }
      let steps = (0..<4).map { _ in Self.step(among: people, using: &numbers) }
      let end = Step(call: FriendModel.Call(act: .vanish, by: person, about: person))
      state = try await Self.perform([end] + steps, after: state, in: world)
      #expect(state.gone.contains(person))
    }
  }

  private static func world(of people: Int, seed: UInt64) async throws -> ServerWorld {
    try await ServerWorld(
      members: people, at: ServerWorld.noon, tables: ["friendships"],
      monitor: StatementMonitor(pauses: seed))
  }

  /// Lets all calls run at once, the first of them twice.
  ///
  /// - Returns: What they left behind.
  private static func perform(
    _ steps: [Step], after state: FriendModel, in world: ServerWorld
  ) async throws -> FriendModel {
    let answers = try await withThrowingTaskGroup(of: (Int, String?).self) { tasks in
      for (index, step) in steps.enumerated() {
        for _ in 0..<(index == 0 ? 2 : 1) {
          tasks.addTask { (index, try await world.perform(step.call, step.clientID)) }
        }
      }
      return try await tasks.reduce(into: [Int: [String?]]()) { answers, answer in
        answers[answer.0, default: []].append(answer.1)
      }
    }
    let end = try await world.friendModel()
    #expect(
      state.explains(withRepeats(steps.map(\.call), answers), end: end),
      "\(TestEngine.current): \(state), \(steps.map(\.call)), \(answers), \(end)")
    try await check(end, in: world)
    return end
  }

  /// A repeat of a call that succeeded is answered like it and does nothing; after a refusal
  /// nothing is kept, so that it is a call of its own.
  private static func withRepeats(
    _ calls: [FriendModel.Call], _ answers: [Int: [String?]]
  ) -> [(call: FriendModel.Call, answer: String?)] {
    var all: [(call: FriendModel.Call, answer: String?)] = []
    for (index, call) in calls.enumerated() {
      let given = answers[index] ?? []
      if given.contains(nil) { all.append((call: call, answer: nil)) }
      for refusal in given.compactMap({ $0 }) { all.append((call: call, answer: refusal)) }
    }
    return all
  }

  private static func step(
    among people: Int, using numbers: inout SeededGenerator
  ) -> Step {
    let by = Int.random(in: 0..<people, using: &numbers)
    let about = (by + Int.random(in: 1..<people, using: &numbers)) % people
    // Asking and accepting come more often, or nobody would ever be friends.
    let acts = FriendModel.Act.allCases.filter { $0 != .vanish } + [.ask, .ask, .accept]
    let act = acts[Int.random(in: acts.indices, using: &numbers)]
    return Step(call: FriendModel.Call(act: act, by: by, about: about))
  }

  /// Everybody is told what the rows say, and a block leaves nothing between two people.
  private static func check(_ state: FriendModel, in world: ServerWorld) async throws {
    for block in state.blocks {
      #expect(state.bonds[FriendModel.Pair(block[0], block[1])] == nil, "\(state)")
    }
    for me in world.members.indices where !state.gone.contains(me) {
      let friends = try await world.result(of: FetchFriends(), as: me).map(\.username)
      let found = try await world.result(of: SearchPeople(query: "person"), as: me)
        .map(\.username)
      for other in world.members.indices where other != me {
        let name = "person_\(other)"
        let status = state.status(of: other, for: me)
        #expect(try await world.status(of: other, for: me) == status)
        #expect(friends.contains(name) == (status == "friends"))
        #expect(found.contains(name) == (status != "not_found"))
      }
    }
  }
}
