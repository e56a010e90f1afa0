import RallyText
import RallyWire
import Testing

@testable import RallyServer

@Suite struct PresenceTrackerTests {
  private func channel(_ socket: Int) -> ChannelID {
    ChannelID(socket: socket, topic: RealtimeTopic.presence, generation: socket)
  }

  @Test func `only friends are told, and only those who listen`() {
    var board = PresenceTracker()
    board.join(channel(1), person: "ana", wantsEvents: true, friends: ["ben"])
    board.join(channel(2), person: "ben", wantsEvents: true, friends: ["ana"])
    board.join(channel(3), person: "ben", wantsEvents: false, friends: ["ana"])
    board.join(channel(4), person: "eve", wantsEvents: true, friends: [])
    let told = board.track(channel(1), payload: [:]).map(\.channel)
    #expect(Set(told) == [channel(1), channel(2)])
    #expect(board.state(for: channel(2))["ana"] != nil)
    #expect(board.state(for: channel(4)) == [:])
  }

  @Test func `a channel that leaves is gone for others and hears nothing itself`() {
    var board = PresenceTracker()
    board.join(channel(1), person: "ana", wantsEvents: true, friends: ["ben"])
    board.join(channel(2), person: "ben", wantsEvents: true, friends: ["ana"])
    _ = board.track(channel(1), payload: [:])
    let told = board.leave(channel(1))
    #expect(told.map(\.channel) == [channel(2)])
    #expect(told.first?.leaves.first?.key == "ana")
    #expect(!board.isOnline("ana"))
    #expect(board.leave(channel(1)).isEmpty)
  }

  @Test func `a friendship told twice is told to nobody again`() {
    var board = PresenceTracker()
    board.join(channel(1), person: "ana", wantsEvents: true, friends: [])
    board.join(channel(2), person: "ben", wantsEvents: true, friends: [])
    _ = board.track(channel(1), payload: [:])
    #expect(board.set("ana", "ben", areFriends: true).map(\.channel) == [channel(2)])
    #expect(board.set("ana", "ben", areFriends: true).isEmpty)
    #expect(board.set("ben", "ana", areFriends: false).map(\.channel) == [channel(2)])
  }

  @Test func `a diff always has both parts`() {
    let delivery = PresenceTracker.Delivery(channel: channel(1))
    #expect(delivery.payload == ["joins": [:], "leaves": [:]])
  }

  @Test func `in a room people stand under the keys that they chose`() {
    var board = PresenceTracker()
    board.join(channel(1), person: "ana", key: "desk", wantsEvents: true, friends: ["ben"])
    board.join(channel(2), person: "ben", key: "desk", wantsEvents: true, friends: ["ana"])
    board.join(channel(3), person: "eve", key: "desk", wantsEvents: true, friends: [])
    for number in 1...3 { _ = board.track(channel(number), payload: [:]) }
    #expect(board.state(for: channel(1))["desk"]?["metas"]?.array?.count == 2)
    #expect(board.state(for: channel(3))["desk"]?["metas"]?.array?.count == 1)
  }

  @Test func `the same payload again is told to nobody, another one names the one before`() {
    var board = PresenceTracker()
    board.join(channel(1), person: "ana", wantsEvents: true, friends: [])
    let first = board.track(channel(1), payload: ["at": 1]).first?.joins.first
    #expect(board.track(channel(1), payload: ["at": 1]).isEmpty)
    let second = board.track(channel(1), payload: ["at": 2]).first
    #expect(second?.leaves == first.map { [$0] })
    #expect(second?.joins.first?.json["phx_ref_prev"]?.string == first?.reference)
  }
}
