import FoundationEssentials
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct KnownFriendsTests {
  @Test func `only other people are a change of people`() {
    var known = KnownFriends()
    let friends = (1...3).map { Samples.friend($0) }
    let lists = [friends, friends, friends.reversed(), Array(friends.dropLast()), friends, []]
    let changes = lists.map { known.changes(to: $0)?.isOfPeople ?? false }
    #expect(changes == [false, false, false, true, true, true])
  }

  @Test func `who came and who went is told, wherever they stand`() {
    let all = (1...6).map { Samples.friend($0) }
    for without in 0..<6 {
      for with in 0..<6 where with != without {
        var (before, after) = (all, all)
        before.remove(at: with)
        after.remove(at: without)
        var known = KnownFriends()
        #expect(known.changes(to: before) == nil)
        let changes = known.changes(to: after)
        #expect(changes?.added == [all[with]])
        #expect(changes?.removed == [all[without].id])
        #expect(changes?.renamed == [])
      }
    }
  }

  @Test func `whatever differs is told, in lists of any order`() {
    var numbers = SeededGenerator(seed: 56)
    for _ in 0..<300 {
      func list() -> [CommunityProfile] {
        (1...9).filter { _ in Int.random(in: 0..<4, using: &numbers) > 0 }.map { number in
          var friend = Samples.friend(number)
          if Int.random(in: 0..<4, using: &numbers) == 0 { friend.displayName = "Somebody else" }
          return friend
        }
      }
      let before = list()
      let after = Bool.random(using: &numbers) ? list() : list().shuffled(using: &numbers)
      var known = KnownFriends()
      _ = known.changes(to: before)
      let changes = known.changes(to: after)
      let former = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
      #expect(Set(changes?.added ?? []) == Set(after.filter { former[$0.id] == nil }))
      #expect(changes?.removed ?? [] == Set(former.keys).subtracting(after.map(\.id)))
      let renamed = after.filter {
        former[$0.id].map(\.displayName) ?? $0.displayName != $0.displayName
      }
      #expect(Set(changes?.renamed ?? []) == Set(renamed))
    }
  }

  @Test func `another name is told, also where it moves the friend, and presence is not`() {
    let friends = (1...6).map { Samples.friend($0) }
    for place in 0..<6 {
      for moved in 0..<6 {
        var after = friends
        var friend = after.remove(at: place)
        friend.displayName = "Somebody else"
        after.insert(friend, at: moved)
        var known = KnownFriends()
        _ = known.changes(to: friends)
        let changes = known.changes(to: after)
        #expect(changes?.renamed == [friend])
        #expect(changes?.isOfPeople == false)
        after[moved].presence = .online
        #expect(known.changes(to: after) == nil)
      }
    }
  }
}
