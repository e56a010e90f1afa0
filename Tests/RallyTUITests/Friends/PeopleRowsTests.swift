import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem
@testable import RallyTUI

@Suite struct PeopleRowsTests {
  private func entry(_ number: Int, _ status: FriendshipStatus = .friends) -> PersonEntry {
    PersonEntry(
      profile: Samples.person(number, status: status), status: status, askedAt: nil,
      isInFlight: false)
  }

  private func section(_ title: String?, _ numbers: [Int]) -> PeopleRows.Section {
    PeopleRows.Section(
      title: title, count: numbers.count, id: { Samples.id(numbers[$0]) },
      entry: { self.entry(numbers[$0]) },
      position: { id in numbers.firstIndex { Samples.id($0) == id } })
  }

  @Test func `sections stand below each other with their headings, empty ones not at all`() {
    let rows = PeopleRows([
      section("Online", [3, 1]), section("Nobody", []), section("Friends", [2]), section(nil, [5]),
    ])
    let shown = rows.map { row -> String in
      switch row {
      case .heading(let text): text
      case .person(let entry): entry.profile.handle
      }
    }
    #expect(
      shown
        == ["Online (2)", "@rui", "@kenji", "Friends (1)", "@lu", "@tomas"].map {
          $0 == "@tomas" ? "@\(Samples.person(5).username)" : $0
        })
    for position in rows.indices {
      #expect(rows.position(of: rows.id(at: position)) == position)
      #expect(rows[position].entry?.id == rows.entry(of: rows.id(at: position))?.id)
    }
    #expect(rows.position(of: .person(Samples.id(77))) == nil)
    #expect(PeopleRows().isEmpty)
  }

  @Test func `a heading keeps its id when the number of people changes`() {
    let before = PeopleRows([section("Online", [1])])
    let after = PeopleRows([section("Online", [1, 2])])
    #expect(before.id(at: 0) == after.id(at: 0))
  }
}

@Suite struct FilteredPeopleListTests {
  private func shelf(_ numbers: [Int]) -> FilteredPeopleList<CommunityProfile> {
    let shelf = FilteredPeopleList<CommunityProfile>(
      id: { $0[$1].id }, fields: CommunityProfile.searchedFields,
      hasAge: { $0[$1].lastSeen != nil })
    shelf.take(numbers.map { Samples.friend($0) })
    return shelf
  }

  private func names(_ shelf: FilteredPeopleList<CommunityProfile>, _ filter: String) -> [String] {
    let section = shelf.section(nil, shelf.numbers(fitting: filter), showsAge: false) {
      PersonEntry(profile: $0, status: .friends, askedAt: nil, isInFlight: false)
    }
    return PeopleRows([section]).compactMap { $0.entry?.profile.username }
  }

  @Test func `a filter that grows, shrinks and changes finds what it finds alone`() {
    let all = Array(0..<9)
    let one = shelf(all)
    for filter in ["", "a", "an", "ana", "an", "z", "", "ó", "m"] {
      #expect(names(one, filter) == names(shelf(all), filter), "\(filter)")
      #expect(
        names(one, filter)
          == all.map { Samples.friend($0) }.filter { $0.matches(filter) }.map(\.username))
    }
  }

  @Test func `another list is searched anew, and rows that were made stay as they were`() {
    let shelf = shelf([0, 1, 2])
    let former = PeopleRows([
      shelf.section(nil, shelf.numbers(fitting: "l"), showsAge: false) {
        PersonEntry(profile: $0, status: .friends, askedAt: nil, isInFlight: false)
      }
    ])
    shelf.take([4, 5].map { Samples.friend($0) })
    #expect(names(shelf, "l") == ["max"])
    #expect(former.id(at: 0) == .person(Samples.id(2)))
    #expect(former[0].entry?.profile.username == "lu")
  }

  @Test func `a section in another order is searched, filtered and kept like the list`() {
    let shelf = shelf([0, 1, 2, 3])
    let rows = PeopleRows([
      shelf.section("Friends by distance", ordered: [3, 0, 2], showsAge: false) {
        PersonEntry(profile: $0, status: .friends, askedAt: nil, isInFlight: false)
      }
    ])
    shelf.take([9].map { Samples.friend($0) })
    #expect(rows.compactMap(\.entry?.id) == [3, 0, 2].map { Samples.id($0) })
    for position in rows.indices { #expect(rows.position(of: rows.id(at: position)) == position) }
    #expect(rows.position(of: .person(Samples.id(1))) == nil)
  }

  @Test func `everybody is found where they stand, near the last one or far from it`() {
    let all = Array(0..<300)
    let shelf = shelf(all)
    let rows = PeopleRows([
      shelf.section("Friends", nil, showsAge: false) {
        PersonEntry(profile: $0, status: .friends, askedAt: nil, isInFlight: false)
      }
    ])
    for number in [0, 299, 1, 150, 151, 149, 3] {
      #expect(rows.position(of: .person(Samples.id(number))) == number + 1)
    }
    #expect(rows.position(of: .person(Samples.id(900))) == nil)
  }

  @Test func `whether a row says an age is known without making the rows`() {
    // given
    let shelf = shelf([0, 1])
    var made = 0
    func rows() -> PeopleRows {
      let section = shelf.section("Friends", nil, showsAge: shelf.showsAge) {
        made += 1
        return PersonEntry(profile: $0, status: .friends, askedAt: nil, isInFlight: false)
      }
      return PeopleRows([section])
    }
    #expect(!rows().showsAge)

    // when
    var seen = Samples.friend(2)
    seen.lastSeen = Samples.time
    shelf.take([Samples.friend(0), seen])

    // then
    #expect(rows().showsAge)
    #expect(made == 0)
    shelf.take([Samples.friend(0)])
    #expect(!rows().showsAge)
  }
}
