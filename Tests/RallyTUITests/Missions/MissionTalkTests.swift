import Foundation
import Observation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// The talk of a mission: the newest at the bottom, what is new under a rule.
@Suite struct MissionTalkTests {
  @Observable final class Told {
    var feed = MissionFeed()
    var mark: TalkMark?
    var isOpened = true
    @ObservationIgnored var seen: [WireTime] = []
  }

  private struct Detail: View {
    let told: Told
    let viewState: MissionsViewState

    var body: some View {
      MissionDetail(
        mission: MissionSamples.lanterns, feed: told.feed, viewModel: MissionSamples.viewModel(),
        width: 60, selection: Binding(viewState, \.row), isActive: told.isOpened,
        messageDraft: viewState.messageDraft, talkMark: told.mark, onSee: { told.seen.append($0) })
    }
  }

  private func line(_ number: Int, by person: Int = 3) -> MissionActivityRecord {
    MissionSamples.line(number, .said, by: person, minutes: -number, text: "line \(number)")
  }

  private func screen(
    _ told: Told, _ viewState: MissionsViewState = MissionsViewState(), height: Int = 12
  ) async -> TestScreen {
    let screen = TestScreen(
      size: Size(width: 60, height: height), table: .rally,
      root: Detail(told: told, viewState: viewState))
    await screen.waitUntilIdle()
    return screen
  }

  /// Told so much: line 10 is the newest one.
  private func told(_ numbers: Range<Int> = 10..<60) -> Told {
    let told = Told()
    told.feed.hasMore = false
    told.feed.lines = numbers.map { line($0) }
    return told
  }

  @Test func `a mission opens at its title, and the newest line stands right above the input line`()
    async
  {
    let viewState = MissionsViewState()
    let long = await screen(told(), viewState)
    #expect(long.picture[0].contains("Lanterns of Alfama"))
    #expect(long.picture[11].contains("say something"))
    // Who begins to talk looks at what was said last.
    viewState.messageDraft.begin(in: MissionSamples.lanterns.id)
    await long.waitUntilIdle()
    #expect(long.picture[10].contains("line 10"))
    #expect(long.picture[9].contains("line 11"))

    // With room to spare the talk is at the foot, and the objectives stay where they are.
    let short = await screen(told(10..<12), height: 27)
    #expect(short.picture[0].contains("Lanterns of Alfama"))
    #expect(short.picture[25].contains("line 10"))
    #expect(short.picture[23].contains("Activity"))
    #expect(short.picture[26].contains("say something"))
  }

  @Test func `beside the list it is at its newest line, and begins at its title once it is opened`()
    async
  {
    let told = told()
    told.isOpened = false
    let screen = await screen(told)
    #expect(screen.picture[10].contains("line 10"))
    #expect(!screen.contains("Lanterns of Alfama"))
    told.isOpened = true
    await screen.waitUntilIdle()
    #expect(screen.picture[0].contains("Lanterns of Alfama"))
  }

  @Test func `a line that comes is in view for who reads the newest, and not for who reads above`()
    async
  {
    let told = told()
    let viewState = MissionsViewState()
    let screen = await screen(told, viewState)
    screen.press("G")
    #expect(viewState.row == .activity(line(10).id))
    told.feed.lines.insert(line(9), at: 0)
    await screen.waitUntilIdle()
    #expect(viewState.row == .activity(line(9).id))
    #expect(screen.picture[10].contains("line 9"))

    screen.press("k k k k k k k k k k k k k k")
    await screen.waitUntilIdle()
    let before = screen.picture
    told.feed.lines.insert(line(8), at: 0)
    await screen.waitUntilIdle()
    #expect(screen.picture == before)
    // Who says something sees it.
    told.feed.lines.insert(line(7, by: 0), at: 0)
    await screen.waitUntilIdle()
    #expect(viewState.row == nil)
    #expect(screen.picture[10].contains("you: “line 7”"))
  }

  @Test func `older lines come above without moving what is read, and are not new`() async {
    let told = told(10..<40)
    told.feed.hasMore = true
    let screen = await screen(told)
    screen.press("g g j j j j")
    await screen.waitUntilIdle()
    #expect(screen.contains("↑ older lines"))
    told.feed.lines += (40..<60).map { line($0) }
    await screen.waitUntilIdle()
    #expect(screen.contains("line 39"))
    #expect(!screen.contains("▲"))
  }

  @Test func `a mission opens at the first line that is new, under a rule`() async {
    let told = told()
    told.mark = TalkMark(seenUpTo: line(40).createdAt, openedAt: MissionSamples.now)
    let viewState = MissionsViewState()
    let screen = await screen(told, viewState)
    #expect(screen.picture[0].contains("── new ──"))
    #expect(screen.picture[1].contains("line 39"))
    // What is on the screen is seen, and no more.
    #expect(told.seen.last == line(30).createdAt)
    screen.press("G")
    await screen.waitUntilIdle()
    #expect(told.seen.last == line(10).createdAt)
  }

  @Test func `own lines are never new, and what comes while one looks gets no rule`() async {
    let told = told(10..<12)
    told.feed.lines = [line(10, by: 0), line(11, by: 0)]
    told.mark = TalkMark(seenUpTo: line(60).createdAt, openedAt: line(9).createdAt)
    let screen = await screen(told)
    #expect(!screen.contains("── new"))
    told.feed.lines.insert(line(8), at: 0)
    await screen.waitUntilIdle()
    #expect(!screen.contains("── new"))
    screen.press("G")
    await screen.waitUntilIdle()
    #expect(screen.contains("line 8"))
    #expect(!screen.contains("── new"))
  }

  @Test func `the next unread is a new line further down, then the next mission with one`() {
    let lines = (10..<14).map { line($0) }
    let mark = TalkMark(seenUpTo: line(12).createdAt, openedAt: MissionSamples.now)
    let viewModel = MissionSamples.viewModel {
      $0.unread = [MissionSamples.trees.id: 2, MissionSamples.finished.id: 1]
    }
    func next(
      _ row: MissionDetailRow.ID?, after mission: Mission = MissionSamples.lanterns,
      mark: TalkMark? = mark
    ) -> NextUnread? {
      NextUnread(in: viewModel, after: mission.id, row: row, lines: lines, mark: mark)
    }
    #expect(next(nil) == .line(line(11).id))
    #expect(next(.activity(line(11).id)) == .line(line(10).id))
    #expect(next(.activity(line(10).id)) == .mission(MissionSamples.trees.id))
    #expect(next(nil, mark: nil) == .mission(MissionSamples.trees.id))
    #expect(
      next(nil, after: MissionSamples.trees, mark: nil) == .mission(MissionSamples.finished.id))
    #expect(
      NextUnread(
        in: MissionSamples.viewModel(), after: MissionSamples.lanterns.id, row: nil, lines: lines,
        mark: nil) == nil)
  }
}
