import RallyWire
import Testing

@testable import RallyServer

@Suite struct PresenceBoardTests {
  private func channel(_ socket: Int) -> ChannelID {
    ChannelID(socket: socket, topic: RealtimeTopic.presence, generation: socket)
  }

  @Test func `only friends are told, and only those who listen`() {
    var board = PresenceBoard()
    board.join(channel(1), key: "ana", wantsEvents: true, friends: ["ben"])
    board.join(channel(2), key: "ben", wantsEvents: true, friends: ["ana"])
    board.join(channel(3), key: "ben", wantsEvents: false, friends: ["ana"])
    board.join(channel(4), key: "eve", wantsEvents: true, friends: [])
    let told = board.track(channel(1), payload: [:]).map(\.channel)
    #expect(Set(told) == [channel(1), channel(2)])
    #expect(board.state(for: channel(2))["ana"] != nil)
    #expect(board.state(for: channel(4)) == [:])
  }

  @Test func `a channel that leaves is gone for others and hears nothing itself`() {
    var board = PresenceBoard()
    board.join(channel(1), key: "ana", wantsEvents: true, friends: ["ben"])
    board.join(channel(2), key: "ben", wantsEvents: true, friends: ["ana"])
    _ = board.track(channel(1), payload: [:])
    let told = board.leave(channel(1))
    #expect(told.map(\.channel) == [channel(2)])
    #expect(told.first?.leaves.keys.first == "ana")
    #expect(!board.isOnline("ana"))
    #expect(board.leave(channel(1)).isEmpty)
  }

  @Test func `a friendship told twice is told to nobody again`() {
    var board = PresenceBoard()
    board.join(channel(1), key: "ana", wantsEvents: true, friends: [])
    board.join(channel(2), key: "ben", wantsEvents: true, friends: [])
    _ = board.track(channel(1), payload: [:])
    #expect(board.set("ana", "ben", areFriends: true).map(\.channel) == [channel(2)])
    #expect(board.set("ana", "ben", areFriends: true).isEmpty)
    #expect(board.set("ben", "ana", areFriends: false).map(\.channel) == [channel(2)])
  }

  @Test func `a diff always has both parts`() {
    let delivery = PresenceBoard.Delivery(channel: channel(1))
    #expect(delivery.payload == ["joins": [:], "leaves": [:]])
  }
}
