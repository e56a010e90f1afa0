import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct PersonDetailTests {
  @Test func `in a low pane who it is and what can be done stay`() async {
    let friend = Samples.friend(1)
    let entry = PersonEntry(profile: friend, status: .friends, isInFlight: false)
    func screen(height: Int) async -> TestScreen {
      let screen = TestScreen(
        size: Size(width: 80, height: 24), table: .rally,
        root: PersonDetail(entry: entry).frame(height: height))
      await screen.waitUntilIdle()
      return screen
    }
    let high = await screen(height: 20)
    #expect(high.contains("friends since") && high.contains("fog run"))
    let low = await screen(height: 9)
    for text in [friend.displayName, friend.handle, "offline", "o on the map", "B block"] {
      #expect(low.contains(text), "\(text)\n\(low.text)")
    }
  }
}
