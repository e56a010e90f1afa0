import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// What stands beside a friend's name.
@Suite struct PersonFactsTests {
  private let now = Samples.time
  private let me = LocationFix(coordinate: Samples.lisbon, recordedAt: Samples.time)

  private func position(
    _ number: Int, _ precision: SharingMode = .precise, at place: Coordinate = Samples.porto,
    minutes: Int = 0
  ) throws -> FriendPosition {
    try #require(
      FriendPosition(
        Samples.location(
          of: number, at: place, precision: precision,
          recordedAt: now.advanced(by: .seconds(-60 * minutes))), of: Samples.friend(number)))
  }

  private func row(_ number: Int, _ status: FriendshipStatus = .friends) -> PeopleRow {
    .person(
      PersonEntry(
        profile: Samples.person(number), status: status, askedAt: nil, isInFlight: false))
  }

  @Test func `a way is told no more exactly than the friend shares`() throws {
    let precise = PersonFacts(position: try position(1), me: me)
    #expect(precise.way(.braille) == "274 km ↑")
    #expect(precise.way(.ascii) == "274 km ^")
    let coarse = PersonFacts(position: try position(1, .approximate10km), me: me)
    #expect(coarse.way(.braille).hasPrefix("~"))
    let near = PersonFacts(
      position: try position(1, .approximate10km, at: Samples.lisbon), me: me)
    #expect(near.way(.braille) == "<10 km")
    #expect(PersonFacts(position: try position(1)).way(.braille) == "")
    #expect(PersonFacts(me: me).way(.braille) == "")
  }

  @Test func `what each shows the other is two bars, theirs first`() throws {
    let position = try position(1, .approximate1km)
    #expect(
      PersonFacts(position: position, sharing: SharingSetting(.precise)).exchange == "▮▮▯⇄▮▮▮")
    #expect(PersonFacts(sharing: SharingSetting(.approximate10km)).exchange == "▯▯▯⇄▮▯▯")
    #expect(PersonFacts(sharing: SharingSetting(.off)).exchange == "")
    // Before the server said it, nothing is claimed.
    #expect(PersonFacts(position: position).exchange == "")
  }

  @Test func `the time left counts what has begun, and is not there without an end`() {
    func left(_ seconds: Int?) -> String {
      let until = seconds.map { now.advanced(by: .seconds($0)) }
      return PersonFacts(sharing: SharingSetting(.precise, until: until)).timeLeft(at: now)
    }
    #expect([nil, 0, 61, 59 * 60, 3600, 3601].map(left) == ["", "", "2m", "59m", "1h", "2h"])
    #expect([86_400, 86_401].map(left) == ["24h", "2d"])
    let facts = PersonFacts(
      sharing: SharingSetting(.precise, until: now.advanced(by: .seconds(3600))))
    let wide = PeopleColumns(width: 120, hasFacts: true).line(
      for: row(1), isSelected: false, facts: facts, at: now
    ).text
    #expect(wide.contains("▯▯▯⇄▮▮▮ 1h "), "\(wide)")
  }

  @Test func `columns fall away as the list gets narrow, and every line has its width`() throws {
    let facts = PersonFacts(position: try position(1), sharing: SharingSetting(.precise), me: me)
    for width in 20...160 {
      let columns = PeopleColumns(width: width, hasFacts: true)
      let line = columns.line(for: row(1), isSelected: false, facts: facts, at: now)
      #expect(line.width == max(width, PeopleColumns.lead + 10), "\(width)")
      #expect(columns.exchange == 0 || columns.way > 0)
      #expect(columns.place == 0 || columns.exchange > 0)
      #expect(columns.clock == 0 || columns.place > 0)
      #expect(columns.left == 0 || columns.clock > 0)
    }
    let wide = PeopleColumns(width: 100, hasFacts: true).line(
      for: row(1), isSelected: false, facts: facts, at: now
    ).text
    for fact in ["Porto", "274 km ↑", "▮▮▮⇄▮▮▮"] { #expect(wide.contains(fact), "\(wide)") }
    let hour = try #require(PlaceClocks.shared.hour(at: position(1), now: now)).text(.braille)
    #expect(wide.contains(" \(hour) "), "\(wide)")
    // The list beside the detail on a terminal of 120 columns.
    #expect(PeopleColumns(width: 79, hasFacts: true).clock > 0)
    let narrow = PeopleColumns(width: 47, hasFacts: true).line(
      for: row(1), isSelected: false, facts: facts, at: now
    ).text
    #expect(narrow.contains("274 km ↑") && !narrow.contains("Porto") && !narrow.contains("⇄"))
    #expect(PeopleColumns(width: 200).way == 0)
  }

  @Test func `a reader of lists hears the same in words`() throws {
    let facts = PersonFacts(
      position: try position(1, .approximate1km), sharing: SharingSetting(.off), me: me)
    let sentence = row(1).sentence(facts: facts, at: now)
    for fact in [
      "Porto", "12:00 there, day", "of you", "shows you about 1 km", "sees of you nothing",
    ] {
      #expect(sentence.contains(fact), "\(sentence)")
    }
  }

  @Test func `the index follows the lists, and forgets positions that are too old`() throws {
    let index = PersonFactsIndex()
    #expect(index.facts(of: Samples.id(1), from: me, at: now) == PersonFacts(me: me))
    let sharing = SharingTable(
      general: SharingSetting(.approximate10km),
      friends: [FriendSharing(id: Samples.id(1), username: "a", displayName: "A", own: nil)])
    index.update(positions: [try position(1), try position(2, minutes: 60 * 48)], sharing: sharing)
    let facts = index.facts(of: Samples.id(1), from: me, at: now)
    #expect(facts.position?.coordinate == Samples.porto)
    #expect(facts.sharing == SharingSetting(.approximate10km))
    // Two days old, and no friend in the table.
    let other = index.facts(of: Samples.id(2), from: me, at: now)
    #expect(other.position == nil && other.sharing == nil)
    index.update(positions: [], sharing: nil)
    #expect(index.facts(of: Samples.id(1), from: me, at: now) == PersonFacts(me: me))
  }

  @Test func `somebody is found wherever a list was changed since`() {
    var places = KnownPlaces()
    func place(of person: Int, in people: [Int]) -> Int? {
      places.place(of: Samples.id(person), in: people.indices) { Samples.id(people[$0]) }
    }
    let all = Array(1...40)
    for people in [
      all, [50] + all, Array(all.dropFirst(9)), all.reversed(), [], all.filter { $0 != 20 }, [20],
    ] {
      for person in [1, 20, 40, 50] {
        #expect(place(of: person, in: people) == people.firstIndex(of: person))
      }
    }
  }
}

extension Line {
  fileprivate var text: String { spans.map(\.text).joined() }
}
