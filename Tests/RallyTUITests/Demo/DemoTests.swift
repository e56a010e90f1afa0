import RallyDomain
import RallyTestSupport
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

/// Starting a demo from the sign-in screen; the demo itself is another person's session here.
@Suite struct DemoTests {
  /// A launcher of a visitor's session on the test's server, and how often it was left.
  private final class House {
    private(set) var ended = 0
    private(set) var left = 0
    let visitor: Journey

    /// The visitor's own screen ends: of two screens on one session only one is told to fetch.
    init(_ visitor: Journey) {
      self.visitor = visitor
      visitor.screen.application.finish()
    }

    func launcher(_ problem: DemoProblem? = nil) -> DemoLauncher {
      DemoLauncher {
        if let problem { throw problem }
        await self.visitor.session.restore()
        var visit = DemoVisit(session: self.visitor.session) { self.ended += 1 }
        // The first hint stands for as long as a test may take.
        visit.hintPace = .seconds(3600)
        return visit
      } left: {
        self.left += 1
      }
    }
  }

  private func screen(_ owner: Journey, _ launcher: DemoLauncher) -> TestScreen {
    TestScreen(table: .rally, root: ProgramView(session: owner.session, demoLauncher: launcher))
  }

  @Test func `^O leads in, the header says demo, and sign-out leads back`() async throws {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      let house = House(try await Journey(on: server, as: "dario"))
      let screen = screen(owner, house.launcher())
      await screen.waitFor("^O look around")
      screen.press("^O")
      await screen.waitFor("@dario  demo")
      #expect(screen.contains("Tab goes from one to the next"))

      screen.press(":")
      screen.type("sign-out")
      screen.press("Enter")
      await screen.waitFor("Leave the demo?")
      screen.press("y")
      await screen.waitFor("New account")
      await screen.waitUntil { house.ended == 1 && house.left == 1 }
      await owner.close()
      await house.visitor.close()
    }
  }

  @Test func `Esc asks before it leads back, and stays on a second one`() async throws {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      let house = House(try await Journey(on: server, as: "dario"))
      let screen = screen(owner, house.launcher())
      await screen.waitFor("^O look around")
      screen.press("^O")
      await screen.waitFor("● live")
      screen.press("Esc")
      await screen.waitFor("Leave the demo?")
      screen.press("Esc")
      await screen.waitUntilIdle()
      #expect(!screen.contains("Leave the demo?") && screen.contains("demo"))
      #expect(house.ended == 0)
      await owner.close()
      await house.visitor.close()
    }
  }

  @Test func `a demo that does not open says why, and the form stays`() async throws {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      let house = House(owner)
      let screen = screen(owner, house.launcher(DemoProblem(sentence: "The demo did not start.")))
      await screen.waitFor("^O look around")
      screen.press("^O")
      await screen.waitFor("The demo did not start.")
      #expect(screen.contains("New account") && house.ended == 0 && house.left == 1)
      await owner.close()
    }
  }

  @Test func `without a launcher nothing is offered`() async throws {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      await owner.screen.waitFor("New account")
      #expect(!owner.screen.contains("look around"))
      owner.screen.press("^O")
      await owner.screen.waitUntilIdle()
      #expect(owner.screen.contains("New account"))
      await owner.close()
    }
  }

  @Test func `the hints are the visit's: they go on with what was done, whatever the size is`()
    async throws
  {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      let house = House(try await Journey(on: server, as: "dario"))
      let tomas = try await TestPerson(signingUp: "tomas", on: server)
      let launcher = house.launcher()
      let screen = screen(owner, launcher)
      await screen.waitFor("^O look around")
      screen.press("^O")
      await screen.waitFor("Tab goes from one to the next")
      guard case .open(let visit) = launcher.phase else {
        Issue.record("the demo is not open")
        return
      }
      visit.hints.goOn()
      await screen.waitUntil { !screen.contains("Tab goes from one to the next") }
      // Nobody has asked yet, and nothing says so.
      #expect(visit.hints.shown == nil && !screen.contains("somebody wants to be friends."))
      try await tomas.friendsService.requestFriend(userID: house.visitor.userID())
      await screen.waitFor("is Friends: somebody wants to be friends.")
      screen.resize(to: Size(width: 40, height: 12))
      await screen.waitUntilIdle()
      screen.resize(to: Size(width: 80, height: 24))
      await screen.waitFor("is Friends: somebody wants to be friends.")
      visit.hints.goOn()
      await screen.waitFor("is Missions: things to do")
      // What it names is done, and it goes on.
      screen.press("2")
      await screen.waitFor("You decide who sees you")
      screen.press("p Esc")
      await screen.waitUntil { !screen.contains("You decide who sees you") }
      await owner.close()
      await house.visitor.close()
    }
  }

  @Test(arguments: [Size(width: 60, height: 16), Size(width: 80, height: 24)])
  func `a hint is never cut`(size: Size) async throws {
    try await TestServer.with { server in
      let owner = try await Journey(on: server)
      let house = House(try await Journey(on: server, as: "dario"))
      let screen = TestScreen(
        size: size, table: .rally,
        root: ProgramView(session: owner.session, demoLauncher: house.launcher()))
      await screen.waitFor("look around")
      screen.press("^O")
      await screen.waitFor("Tab goes from one to")
      #expect(screen.contains("comes near."))
      await owner.close()
      await house.visitor.close()
    }
  }

  @Test func `a request that was answered takes its hint away, one that has not come does not`() {
    let hints = DemoHints()
    hints.goOn()
    var acts = DemoActs(
      hasSelectedFriend: true, requests: 0, isOnMissions: true, hasSharing: true)
    for (requests, index) in [(0, 1), (1, 1), (0, 2), (0, 3)] {
      acts.requests = requests
      hints.follow(acts)
      #expect(hints.index == index)
    }
  }

  @Test func `there are four hints, each in one line, and then none`() {
    let hints = DemoHints()
    hints.follow(
      DemoActs(hasSelectedFriend: false, requests: 1, isOnMissions: false, hasSharing: false))
    var sentences: [String] = []
    while let sentence = hints.sentence(key: { ActionTable.rally.hint(for: $0) }) {
      sentences.append(sentence)
      hints.goOn()
    }
    #expect(sentences.count == 4)
    for sentence in sentences { #expect(sentence.cellWidth <= 80 - 7, "\(sentence)") }
  }
}
