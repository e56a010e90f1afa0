import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct MissionListsTests {
  private let now = Samples.time.advanced(by: .seconds(60))

  private func mission(_ record: MissionRecord) throws -> Mission { try #require(Mission(record)) }

  private func time(_ seconds: Int) -> WireTime { now.advanced(by: .seconds(seconds)) }

  @Test func `the one that ends first is on top, those without an end are last`() throws {
    let lists = MissionLists(
      active: [
        try mission(Samples.mission(1)), try mission(Samples.mission(2, endsAt: time(900))),
        try mission(Samples.mission(3, endsAt: time(300), myState: .invited)),
      ], nearby: [], done: [], at: now)
    #expect(lists.active.map(\.id) == [3, 2, 1].map(Samples.id))
    #expect(lists.nextChange(after: now) == time(300))
  }

  @Test func `a mission whose end has come moves to what is done`() throws {
    var lists = MissionLists(
      active: [
        try mission(Samples.mission(1, endsAt: time(300))),
        try mission(Samples.mission(2, endsAt: time(300), myState: .invited)),
      ], nearby: [try mission(Samples.mission(1, endsAt: time(300)))],
      done: [
        try mission(Samples.mission(3, state: .completed, closedAt: time(-9))),
        try mission(Samples.mission(4, state: .cancelled, closedAt: time(-3))),
      ], at: now)
    #expect(lists.done.map(\.id) == [4, 3].map(Samples.id))
    lists.refile(at: time(300))
    #expect(lists.active.isEmpty)
    #expect(lists.nearby.isEmpty)
    // Of an invitation that was never answered nothing is left.
    #expect(lists.done.map(\.id) == [1, 4, 3].map(Samples.id))
    #expect(lists.nextChange(after: time(300)) == nil)
  }

  @Test func `an answer is merged by version and moves the mission where it belongs`() throws {
    var lists = MissionLists(
      active: [], nearby: [try mission(Samples.mission(1, version: 3, myState: nil))], done: [],
      at: now)
    lists.merge(try mission(Samples.mission(1, version: 4)), at: now)
    #expect(lists.active.map(\.version) == [4])
    #expect(lists.nearby.map(\.version) == [4])
    // What was overtaken brings nothing back.
    lists.merge(try mission(Samples.mission(1, version: 3, myState: nil)), at: now)
    #expect(lists.active.map(\.version) == [4])
    lists.merge(
      try mission(Samples.mission(1, state: .completed, closedAt: now, version: 5)), at: now)
    #expect(lists.active.isEmpty)
    #expect(lists.nearby.isEmpty)
    #expect(lists.done.map(\.version) == [5])
  }

  @Test func `a mission that I left is in no list and still known`() throws {
    var lists = MissionLists(
      active: [try mission(Samples.mission(1))], nearby: [], done: [], at: now)
    lists.merge(try mission(Samples.mission(1, version: 2, myState: .left)), at: now)
    #expect(lists.active.isEmpty)
    #expect(lists[Samples.id(1)]?.myState == .left)
    lists.replace(with: MissionLists(), at: now)
    #expect(lists[Samples.id(1)]?.myState == .left)
    lists.remove(Samples.id(1))
    #expect(lists[Samples.id(1)] == nil)
  }

  @Test func `of missions outside the lists only the latest are remembered`() throws {
    var lists = MissionLists()
    for number in 1...(MissionLists.openedLimit + 3) {
      lists.merge(try mission(Samples.mission(number, myState: nil)), at: now)
    }
    #expect(lists.opened.count == MissionLists.openedLimit)
    #expect(lists[Samples.id(3)] == nil)
    #expect(lists[Samples.id(4)] != nil)
  }

  @Test func `the snapshot gives the lists back`() throws {
    let lists = MissionLists(
      active: [try mission(Samples.mission(1))], nearby: [try mission(Samples.mission(2))],
      done: [try mission(Samples.mission(3, state: .completed, closedAt: now))], at: now)
    let data = try WireJSON.encode(MissionsSnapshot(lists, asOf: now))
    let snapshot = try WireJSON.decode(MissionsSnapshot.self, from: data)
    #expect(snapshot.lists(at: now) == lists)
    #expect(snapshot.asOf == now)
  }
}
