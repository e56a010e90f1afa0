import Foundation
import Observation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// Lines that come while further down is read.
@Suite @MainActor struct MissionNewLinesTests {
  @Observable final class Told {
    var feed = MissionFeed()
  }

  private struct Detail: View {
    let told: Told
    let viewState: MissionsViewState

    var body: some View {
      MissionDetail(
        mission: MissionSamples.lanterns, feed: told.feed, viewModel: MissionSamples.viewModel(),
        width: 60, selection: Binding(viewState, \.row), isActive: true,
        messageDraft: viewState.messageDraft)
    }
  }

  private func line(_ number: Int) -> MissionActivityRecord {
    MissionSamples.line(number, .said, by: 3, minutes: -number, text: "line \(number)")
  }

  @Test func `lines that come above what is read do not move it, and are counted`() async throws {
    // given: somebody reads far down
    let told = Told()
    told.feed.hasMore = false
    told.feed.lines = (10..<60).map(line)
    let screen = TestScreen(
      size: Size(width: 60, height: 12), table: .rally,
      root: Detail(told: told, viewState: MissionsViewState()))
    await screen.waitUntilIdle()
    screen.press("G k k")
    await screen.waitUntilIdle()
    let before = screen.picture
    #expect(before.contains { $0.contains("line 57") })

    // when
    told.feed.lines.insert(contentsOf: [line(8), line(9)], at: 0)
    await screen.waitUntilIdle()

    // then
    #expect(screen.picture.dropFirst() == before.dropFirst())
    #expect(screen.picture[0].hasSuffix("▲ 2 new lines g n"))

    // when
    screen.press("g n")
    await screen.waitUntilIdle()
    #expect(screen.contains("line 9"))
    #expect(screen.picture[0].hasSuffix("▲ 1 new line g n"))
  }
}
