import Foundation
import Observation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// A long list of people while it is read.
@Suite @MainActor struct PeoplePanesTests {
  @Observable final class Town {
    var requests: [Int] = []
    var friends = Array(100..<200)
    var filter = ""
    var selection: PeopleRow.ID?
  }

  private struct Panes: View {
    let town: Town

    var body: some View {
      PeoplePanes(
        rows: PeopleRows([
          section("Requests for you", town.requests, .incoming),
          section("Friends", town.friends, .friends),
        ]), selection: Binding(town, \.selection), emptyText: "", question: town.filter)
    }

    private func section(
      _ title: String, _ numbers: [Int], _ status: FriendshipStatus
    ) -> PeopleRows.Section {
      PeopleRows.Section(
        title: title, count: numbers.count, id: { Samples.id(numbers[$0]) },
        entry: {
          PersonEntry(
            profile: Samples.person(numbers[$0]), status: status, askedAt: nil, isInFlight: false)
        }, position: { id in numbers.firstIndex { Samples.id($0) == id } })
    }
  }

  private func screen(_ town: Town) async -> TestScreen {
    let screen = TestScreen(
      size: Size(width: 80, height: 10), table: .rally, root: Panes(town: town))
    await screen.waitUntilIdle()
    return screen
  }

  @Test func `a request that comes while friends are read is counted, and a key goes to it`()
    async throws
  {
    // given
    let town = Town()
    let screen = await screen(town)
    screen.press("G k")
    await screen.waitUntilIdle()
    let before = screen.picture

    // when
    town.requests = [7]
    await screen.waitUntilIdle()

    // then: nothing moved, and neither heading counts
    #expect(screen.picture.dropFirst() == before.dropFirst())
    #expect(screen.picture[0].contains("▲ 1 new g n │"))
    screen.press("g n")
    await screen.waitUntilIdle()
    #expect(screen.contains("▸ ? Tomás Rey"))
    #expect(screen.contains("Requests for you (1)"), "its heading is seen with it")
    #expect(!screen.contains("▲"))
  }

  @Test func `who is selected stays so through a filter, else the first one found is`() async throws
  {
    let town = Town()
    let screen = await screen(town)
    screen.press("G k")
    await screen.waitUntilIdle()
    #expect(screen.contains("▸ ○ Person 198"))

    town.filter = "8"
    town.friends = [188, 198]
    await screen.waitUntilIdle()
    #expect(screen.contains("▸ ○ Person 198"))
    town.filter = "88"
    town.friends = [180, 188]
    await screen.waitUntilIdle()
    #expect(screen.contains("▸ ○ Person 180"))
    #expect(!screen.contains("▲"))
  }
}
