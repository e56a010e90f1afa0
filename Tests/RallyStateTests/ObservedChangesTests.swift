import Observation
import Testing

@testable import RallyState

@MainActor
@Suite struct ObservedChangesTests {
  @MainActor @Observable final class Basket {
    var apples: [String] = ["red"]
  }

  @Test func `each other value is told with the one before it, the first and the same never`()
    async throws
  {
    let basket = Basket()
    var told: [[Int]] = []
    let changes = ObservedChanges(of: basket.apples.count) { told.append([$0, $1]) }
    // The same count, then two changes of one turn.
    basket.apples = ["green"]
    basket.apples = ["green", "yellow"]
    basket.apples.append("blue")
    try await until { !told.isEmpty }
    basket.apples = []
    try await until { told.count == 2 }
    #expect(told == [[1, 3], [3, 0]])
    withExtendedLifetime(changes) {}
  }

  @Test func `an absent value is one like others`() async throws {
    let basket = Basket()
    var told: [String?] = []
    let changes = ObservedChanges(of: basket.apples.first) { told.append($1) }
    basket.apples = []
    try await until { told.count == 1 }
    basket.apples = ["red"]
    try await until { told.count == 2 }
    #expect(told == [nil, "red"])
    withExtendedLifetime(changes) {}
  }

  @Test func `what nobody keeps tells nothing any more`() async throws {
    let basket = Basket()
    var told = 0
    var changes: ObservedChanges<Int>? = ObservedChanges(of: basket.apples.count) { _, _ in
      told += 1
    }
    weak let reference = changes
    let other = ObservedChanges(of: basket.apples.count) { _, _ in told += 100 }
    basket.apples = []
    #expect(changes != nil)
    changes = nil
    #expect(reference == nil)
    try await until { told >= 100 }
    #expect(told == 100)
    withExtendedLifetime(other) {}
  }
}
