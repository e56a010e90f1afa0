import Foundation
import Observation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// A long list of people while it is read.
@Suite struct PeoplePanesTests {
  @Observable final class Town {
    var requests: [Int] = []
    var friends = Array(100..<200)
    var filter = ""
    var selection: PeopleRow.ID?
    @ObservationIgnored let interface = Interface()
  }

  private struct Panes: View {
    let town: Town

    var body: some View {
      let rows = PeopleRows([
        section("Requests for you", town.requests, .incoming),
        section("Friends", town.friends, .friends),
      ])
      let selection = Binding(town, \.selection)
      VStack {
        PeoplePanes(rows: rows, selection: selection, emptyText: "", question: town.filter)
        SelectedPersonActions(rows: rows, selection: selection)
      }
      .environment(\.interface, town.interface)
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

  @Test func `a key means whoever is selected, with whom the same can be done or not`() async throws
  {
    let town = Town()
    town.requests = [7]
    let screen = await screen(town)
    var asked: [String?] = []
    for keys in ["a", "j x", "j x", "k x"] {
      screen.press(keys)
      await screen.waitUntilIdle()
      asked.append(town.interface.question?.title)
    }
    #expect(
      asked == [
        "Accept Tomás Rey?", "Unfriend Person 100?", "Unfriend Person 101?", "Unfriend Person 100?",
      ])
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
