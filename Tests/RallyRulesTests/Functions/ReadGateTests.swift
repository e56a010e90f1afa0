import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// One person's reads never stand in front of another's.
@Suite(.everyEngine) struct ReadGateTests {
  private func makeWorld() async throws -> ServerWorld {
    try await ServerWorld(members: 2, at: .now, tables: [])
  }

  @Test func `whoever reads much waits behind themselves, and a friend does not`() async throws {
    let world = try await makeWorld()
    let (ana, ben) = (world.members[0].caller, world.members[1].caller)
    let gate = ReadGate(budgets: BudgetKeeper(Budgets([.readsAtOnce: 2])))
    let begun = Counter()
    let hold = DispatchSemaphore(value: 0)
    let storage = world.storage
    let reads = (0..<8).map { _ in
      Task {
        try await gate.read(for: ana, from: storage) { _ in
          begun.increment()
          hold.wait()
        }
      }
    }
    while begun.value < 2 { await Task.yield() }
    let answer = try await gate.read(for: ben, from: storage) {
      try Int.fetchOne($0, sql: "SELECT 7")
    }
    #expect(answer == 7)
    #expect(begun.value == 2)
    for _ in reads { hold.signal() }
    for read in reads { try await read.value }
    #expect(begun.value == 8)
  }

  @Test func `more than may wait are refused, and there is room again afterwards`() async throws {
    let world = try await makeWorld()
    let ana = world.members[0].caller
    let keeper = BudgetKeeper(Budgets([.readsAtOnce: 1, .waitingReads: 1]))
    let gate = ReadGate(budgets: keeper)
    let begun = Counter()
    let hold = DispatchSemaphore(value: 0)
    let storage = world.storage
    @Sendable func read() async throws {
      try await gate.read(for: ana, from: storage) { _ in
        begun.increment()
        hold.wait()
      }
    }
    let first = Task { try await read() }
    while begun.value < 1 { await Task.yield() }
    // One of these waits, and the other is refused.
    let others = (0..<2).map { _ in
      Task {
        do {
          try await read()
          return true
        } catch is RateRefusal {
          hold.signal()
          hold.signal()
          return false
        }
      }
    }
    try await first.value
    var answers: [Bool] = []
    for other in others { answers.append(try await other.value) }
    #expect(answers.sorted { !$0 && $1 } == [false, true])
    #expect(keeper.refusals.contains { $0.budget == .waitingReads && $0.count == 1 })
    hold.signal()
    try await read()
  }
}
