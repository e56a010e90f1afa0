import RallyClient
import RallyMap
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

@Suite struct HelpRowTests {
  @Test func `each section has one heading, with all of its actions below it`() {
    let rows = HelpRow.rows(
      ActionTable.rally.actions.map { AvailableAction(action: $0, disabledReason: nil) },
      filter: "")
    let headings = rows.filter(\.isHeading).map(\.title)
    #expect(
      headings == [
        "Map", "Streets", "Missions", "Calendar", "Sharing", "Links", "Alerts", "Phones",
        "SSH keys",
        "Forms", "Friends", "Everywhere", "Lists", "Moving", "Invitations",
      ])
    #expect(Set(rows.map(\.id)).count == rows.count)
  }

  @Test(arguments: RallyTab.allCases)
  func `every tab has a legend, whose signs are told in sentences and found by their words`(
    tab: RallyTab
  ) {
    let rows = HelpRow.rows(ofSignsOn: tab, filter: "")
    #expect(rows.first?.title == "Signs" && rows.first?.isHeading == true)
    #expect(rows.count > 5 && Set(rows.map(\.id)).count == rows.count)
    for row in rows.dropFirst() {
      #expect(row.sentence?.hasSuffix(".") == true)
      #expect(row.title.cellWidth <= 24 && row.key.cellWidth <= 8)
      #expect(HelpRow.rows(ofSignsOn: tab, filter: row.title).contains(row))
    }
    #expect(HelpRow.rows(ofSignsOn: tab, filter: "no such sign") == [])
  }

  private func signs(_ tab: RallyTab) -> Set<String> {
    Set(HelpSign.all(on: tab).flatMap { $0.sign.split(separator: " ").map(String.init) })
  }

  @Test func `the legend of friends has each mark of a row`() {
    let statuses: [FriendshipStatus] = [.none, .outgoing, .incoming, .friends, .blocked]
    let entries =
      statuses.map {
        PersonEntry(profile: Samples.person(1, status: $0), status: $0, isInFlight: false)
      } + [
        PersonEntry(
          profile: Samples.friend(1, presence: .online), status: .friends, isInFlight: false),
        PersonEntry(profile: Samples.friend(1), status: .friends, isInFlight: true),
        PersonEntry(
          profile: Samples.friend(1), status: .friends, isInFlight: false, asksSince: Samples.time),
      ]
    for entry in entries { #expect(signs(.friends).contains(PersonMark(entry).glyph)) }
    for isNight in [true, false] {
      let hour = PlaceHour(clock: "14:31", isNight: isNight).text(.braille)
      #expect(signs(.friends).contains(String(hour.suffix(1))))
    }
  }

  @MainActor
  @Test func `the legend of missions has each mark of a mission and of a check-in`() {
    let missions = [
      MissionSamples.lanterns, MissionSamples.fogRun, MissionSamples.finished,
      MissionSamples.mission(9, "Left", myState: .left),
      MissionSamples.mission(9, "Over", ends: -10),
      MissionSamples.mission(9, "Off", state: .cancelled, closed: -10),
    ]
    let checkIns: [PendingCheckIn.Status] = [.sending, .queued, .late, .refused("")]
    let glyphs =
      missions.map { MissionMark($0, at: MissionSamples.now).glyph }
      + [MissionMark(MissionSamples.lanterns, isInFlight: true, at: MissionSamples.now).glyph]
      + checkIns.map { MissionSamples.pending($0).mark.glyph }
    #expect(Set(glyphs).count == 9)
    for glyph in glyphs { #expect(signs(.missions).contains(glyph), "\(glyph)") }
  }

  @Test func `the legend of the map has the ages that its marks stand for`() throws {
    for age in PositionAge.allCases { #expect(signs(.map).contains(age.mark)) }
    let fresh = Int64(PositionAge.freshEnd.components.seconds / 60).minutesText
    let older = Int64(PositionAge.olderEnd.components.seconds / 60).minutesText
    func sentence(_ age: PositionAge) throws -> String {
      try #require(HelpSign.all(on: .map).first { $0.sign == age.mark }).sentence
    }
    #expect(try sentence(.fresh).contains("less than \(fresh) old"))
    #expect(try sentence(.older).contains("between \(fresh) and \(older) old"))
    #expect(try sentence(.old).contains("more than \(older) old"))
  }

  @Test(arguments: RallyTab.allCases)
  func `every legend has the marks of the link, which stand alone on a narrow terminal`(
    tab: RallyTab
  ) throws {
    let link = try #require(HelpSign.all(on: tab).first { $0.title == "the link, at the top" })
    let states: [LinkState] = [
      .signedOut, .connecting, .live, .polling, .stale, .offline(retryAt: nil, reason: ""),
    ]
    for state in states {
      let glyph = LinkLabel(state, interval: .seconds(60)).glyph
      #expect(link.sign.contains(glyph) && link.sentence.contains("\(glyph) "))
    }
  }

  @Test func `of the ways to quit one is listed, and its details name the others`() throws {
    func rows(_ ids: [ActionID]) -> [HelpRow] {
      HelpRow.rows(
        ActionTable.rally.actions.filter { ids.contains($0.id) }.map {
          AvailableAction(action: $0, disabledReason: nil)
        }, filter: "")
    }
    let inside = rows(HelpRow.waysToQuit).filter { !$0.isHeading }
    #expect(inside.map(\.id) == ["leave"])
    #expect(
      inside.first?.details?.others == [
        "^C  Cancel; pressed twice it quits.", "Z Z  Quit at once.",
      ])
    // A form takes letters as text.
    let form = rows([ProgramActions.cancel.id, ProgramActions.quit.id]).filter { !$0.isHeading }
    #expect(form.map(\.id) == ["cancel"])
  }

  @Test func `an action is found by what it is called, by what it does and by its key`() {
    let all = ActionTable.rally.actions.map { AvailableAction(action: $0, disabledReason: nil) }
    for filter in ["unfriend", "end the friendship", "fg returns", "^z"] {
      #expect(HelpRow.rows(all, filter: filter).contains { !$0.isHeading }, "\(filter)")
    }
    #expect(HelpRow.rows(all, filter: "no such thing").isEmpty)
  }
}
