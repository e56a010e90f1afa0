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

  @Test func `who came and who went is told, wherever they stand`() {
    let all = (1...6).map { Samples.friend($0) }
    for without in 0..<6 {
      for with in 0..<6 where with != without {
        var (before, after) = (all, all)
        before.remove(at: with)
        after.remove(at: without)
        var ids = FriendIDs()
        #expect(ids.changes(to: before) == nil)
        let changes = ids.changes(to: after)
        #expect(changes?.added == [all[with]])
        #expect(changes?.removed == [all[without].id])
      }
    }
  }
}
