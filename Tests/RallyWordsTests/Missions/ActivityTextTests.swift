import RallyDomain
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallySystem

@Suite struct ActivityTextTests {
  @Test func `each kind of line has its sentence, and I am you`() {
    func words(_ line: MissionActivityRecord) -> String {
      ActivityText.sentence(line, for: Samples.id(3))
    }
    #expect(words(Samples.line(1, .created, by: 3)) == "mission started by you")
    #expect(words(Samples.line(1, .created, by: 2)) == "mission started by lu")
    #expect(words(Samples.line(1, .joined, by: 0)) == "ana joined")
    #expect(words(Samples.line(1, .left, by: 3)) == "you left")
    #expect(
      words(Samples.line(1, .checkedIn, by: 3, objectiveTitle: "Stone cat"))
        == "you found Stone cat")
    #expect(words(Samples.line(1, .completed, by: 1)) == "completed by kenji")
    #expect(words(Samples.line(1, .cancelled, by: 1)) == "cancelled by kenji")
    #expect(
      words(Samples.line(1, by: 2, text: "left at the stairs")) == "lu: “left at the stairs”")
  }

  @Test func `a line of somebody who does not exist for me names nobody`() {
    func words(_ kind: ActivityKind) -> String {
      ActivityText.sentence(Samples.line(1, kind, by: nil), for: nil)
    }
    #expect(words(.created) == "mission started")
    #expect(words(.completed) == "completed")
    #expect(words(.joined) == "somebody joined")
    #expect(words(.checkedIn) == "somebody found a place")
  }

  @Test(arguments: [
    (0, "<1m"), (-5, "<1m"), (59, "<1m"), (60, "1m"), (45 * 60, "45m"), (3600, "1h"),
    (3900, "1h05"), (6000, "1h40"), (35_999, "9h59"), (36_000, "10h"), (47 * 3600, "47h"),
    (48 * 3600, "2d"), (6 * 86_400, "6d"), (400 * 86_400, "400d"),
  ])
  func `what is left is said as short as a list needs`(seconds: Int, words: String) {
    #expect(ActivityText.left(.seconds(seconds)) == words)
  }

  @Test func `a mission's time is said by its phase`() throws {
    let hour = Duration.seconds(3600)
    func words(_ record: MissionRecord, after duration: Duration) throws -> [String] {
      let mission = try #require(Mission(record))
      let now = Samples.time.advanced(by: duration)
      return [
        ActivityText.status(mission, at: now),
        ActivityText.schedule(mission, at: now) { String($0.description.dropFirst(11).prefix(5)) },
      ]
    }
    let endless = Samples.mission(1)
    #expect(try words(endless, after: hour) == ["no end", "no end"])
    #expect(try words(endless, after: .seconds(-600)) == ["starts in 10m", "starts 12:00"])
    #expect(try words(endless, after: hour * -48) == ["starts in 2d", "starts in 2d"])
    let ending = Samples.mission(1, endsAt: Samples.time.advanced(by: hour * 40))
    #expect(try words(ending, after: hour * 20) == ["20h", "ends 04:00"])
    #expect(try words(ending, after: hour) == ["39h", "ends in 39h"])
    #expect(try words(ending, after: hour * 43) == ["ended", "ended 3h ago"])
    let done = Samples.mission(1, state: .completed, closedAt: Samples.time.advanced(by: hour))
    #expect(try words(done, after: hour * 3) == ["completed", "completed 2h ago"])
    #expect(try words(done, after: hour) == ["completed", "completed just now"])
    #expect(try words(done, after: hour * 9000) == ["completed", "completed in 2026-03"])
    let off = Samples.mission(1, state: .cancelled)
    #expect(try words(off, after: hour) == ["cancelled", "cancelled"])
  }

  @Test func `places and progress are counts`() throws {
    func mission(_ record: MissionRecord) throws -> Mission { try #require(Mission(record)) }
    let alone = try mission(Samples.mission(1))
    #expect(ActivityText.places(alone) == "1 person")
    #expect(ActivityText.progress(alone) == nil)
    let party = try mission(
      Samples.mission(
        1, capacity: 6,
        objectives: [Samples.objective(1), Samples.objective(2, count: 3, checkIns: 5)],
        memberCount: 4))
    #expect(ActivityText.places(party) == "4 of 6 people")
    #expect(ActivityText.progress(party) == "3/4")
    #expect(party.objectives.map { ActivityText.progress($0) } == [nil, "3/3"])
    #expect(ActivityText.places(try mission(Samples.mission(1, memberCount: 3))) == "3 people")
    #expect(ActivityText.places(try mission(Samples.mission(1, capacity: 1))) == "1 of 1 person")
  }

  @Test func `a place is so far in one of eight winds`() {
    let east = Samples.coordinate(Samples.lisbon.latitude, Samples.lisbon.longitude + 0.00104)
    #expect(ActivityText.distance(from: Samples.lisbon, to: east) == "90 m E")
    #expect(ActivityText.distance(from: Samples.lisbon, to: Samples.lisbon) == "here")
    #expect(ActivityText.distance(from: Samples.lisbon, to: Samples.porto) == "274 km N")
  }

  @Test func `who it is for, who is in it, and how a check-in stands`() {
    #expect(
      MissionVisibility.allCases.map(ActivityText.audience)
        == ["only you", "invited people", "friends"])
    #expect(ActivityText.name(of: Samples.member(0), for: Samples.id(0)) == "you")
    #expect(ActivityText.name(of: Samples.member(0), for: Samples.id(1)) == "ana")
    #expect(ActivityText.status(.refused("Too far.")) == "Too far.")
    #expect(ActivityText.status(.sending) == "sending")
  }
}
