import RallyTestSupport
import Testing

@testable import RallyDomain

@Suite struct FriendIDsTests {
  @Test func `only other people are a change`() {
    var ids = FriendIDs()
    let friends = (1...3).map { Samples.friend($0) }
    let lists = [friends, friends, friends.reversed(), Array(friends.dropLast()), friends, []]
    let changes = lists.map { ids.update(to: $0) }
    #expect(changes == [false, false, false, true, true, true])
  }
}
