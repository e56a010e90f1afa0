import Testing

@testable import RallyDomain

@Suite struct FriendIDsTests {
  @Test func `only other people are a change`() {
    var ids = FriendIDs()
    let friends = (1...3).map { Samples.friend($0) }
    #expect(!ids.update(to: friends))
    #expect(!ids.update(to: friends))
    #expect(!ids.update(to: friends.reversed()))
    #expect(ids.update(to: Array(friends.dropLast())))
    #expect(ids.update(to: friends))
    #expect(ids.update(to: []))
  }
}
