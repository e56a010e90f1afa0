import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem
@testable import RallyTUI

/// How the list of friends is sorted.
@Suite struct PeopleOrderTests {
  private func friend(_ number: Int, seen minutes: Int?, isOnline: Bool = false)
    -> CommunityProfile
  {
    var friend = Samples.friend(number, presence: isOnline ? .online : .offline)
    friend.lastSeen = minutes.map { Samples.time.advanced(by: .seconds(-60 * $0)) }
    return friend
  }

  @Test func `last seen puts who is online first, and who never was last, else by name`() {
    let friends = [
      friend(0, seen: 5), friend(1, seen: nil), friend(2, seen: 90, isOnline: true),
      friend(3, seen: 2), friend(4, seen: 5),
    ]
    #expect(PeopleOrder.lastSeen.numbers(of: friends, nearest: []) == [2, 3, 0, 4, 1])
    #expect(PeopleOrder.name.numbers(of: friends, nearest: []) == [0, 1, 2, 3, 4])
  }

  @Test func `near puts who shows no position after the others, by name`() {
    let friends = (0..<5).map { friend($0, seen: nil) }
    let nearest = [3, 1].map { Samples.id($0) }
    #expect(PeopleOrder.near.numbers(of: friends, nearest: nearest) == [3, 1, 0, 2, 4])
  }

  @Test func `the key goes through all orders, and leaves out near where I am nowhere`() {
    var order = PeopleOrder.requests
    let orders = (0..<4).map { _ in
      order = order.next(hasPosition: true)
      return order
    }
    #expect(orders == [.name, .near, .lastSeen, .requests])
    #expect(PeopleOrder.name.next(hasPosition: false) == .lastSeen)
  }

  @Test func `an order is remembered, and followed when a filter or a distance changes`() {
    let ordered = OrderedFriends()
    let friends = (0..<4).map { friend($0, seen: nil) }
    func numbers(_ nearest: [Int], shown: [Int32]? = nil) -> [Int32] {
      ordered.numbers(
        of: friends, revision: 1, order: .near, nearest: nearest.map { Samples.id($0) },
        shown: shown)
    }
    #expect(numbers([2]) == [2, 0, 1, 3])
    #expect(numbers([2], shown: [1, 2]) == [2, 1])
    #expect(numbers([3, 2]) == [3, 2, 0, 1])
  }

  @Test func `S sorts, the heading says how, and it stays so on the way back`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server)
      let screen = dario.screen
      #expect(screen.contains("Requests for you (1)"))
      // when
      screen.press("S")
      // then
      await screen.waitFor("Friends by name (2)")
      #expect(screen.contains("Sorted by name."))
      #expect(screen.contains("▸ ○ Lucía Gómez") || screen.contains("▸ ● Lucía Gómez"))
      #expect(screen.contains("Requests for you (1)"))
      // when: away and back, and on
      screen.press("2 3")
      await screen.waitFor("Friends by name (2)")
      screen.press("S")
      await screen.waitFor("Friends, last seen first (2)")
      screen.press("S")
      await screen.waitFor("Requests first, then who is online.")
      #expect(!screen.contains("last seen first"))
      await dario.close()
    }
  }

  @Test func `a screen reader hears the order`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, isPlain: true)
      dario.screen.press("S")
      await dario.screen.waitFor("Sorted by name.")
      await dario.screen.waitFor("Friends by name (2)")
      await dario.close()
    }
  }
}
