import Foundation
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem

/// Asking where a friend is, and answering with one key.
@Suite struct LocationAskJourneyTests {
  /// Ana at the screen on the Friends tab, with a friend who acts from elsewhere.
  private func befriended(
    on server: TestServer, isPlain: Bool = false, _ body: (Journey, TestPerson) async throws -> Void
  ) async throws {
    let ana = try await Journey.live("ana", on: server, isPlain: isPlain)
    let ben = try await TestPerson(signingUp: "ben", on: server)
    try await ben.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
    await ana.screen.waitFor("All 1")
    await ana.screen.waitFor("@ben")
    try await body(ana, ben)
    await ana.close()
  }

  private func seen(by person: TestPerson) async throws -> [SharingMode] {
    try await person.locationsService.fetchFriendLocations().map(\.precision)
  }

  /// Waits for a sentence that ends with how long ago a moment ago is: the clock's minute may turn.
  private func said(_ text: String, _ journey: Journey) async {
    await journey.screen.waitUntil {
      ["just now", "1 minute ago"].contains { journey.screen.contains("\(text) \($0)") }
    }
  }

  @Test func `a key asks the selected friend, whose detail says since when`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        ana.screen.press("W")
        await ana.screen.waitFor("You asked @ben where they are.")
        await said("you asked", ana)
        let asks = try await ben.friendsService.fetchLocationAsks()
        #expect(asks.map(\.username) == ["ana"])
        // when: too soon
        ana.screen.press("W")
        await said("You asked @ben", ana)
        #expect(ana.gate.calls(of: "ask_location") == 1)
      }
    }
  }

  @Test func `who asks comes first, and one key shows them for an hour`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        // given
        let screen = ana.screen
        screen.type(":here Lisbon")
        screen.press("Enter")
        await screen.waitUntil { ana.session.services.currentLocationProvider.fix != nil }
        // when
        try await ben.friendsService.askLocation(of: ana.userID())
        // then
        await screen.waitFor("@ben asks where you are. A shows them, X dismisses.")
        await screen.waitFor("Ask where you are (1)")
        // when
        screen.press("A")
        // then
        await screen.waitFor("@ben sees you about 1 km until")
        await screen.waitUntil { !screen.contains("Ask where you are (1)") }
        #expect(await eventually { (try? await seen(by: ben)) == [.approximate1km] })
        #expect(try await ana.friendsService.fetchLocationAsks().isEmpty)
        // when
        screen.press("u")
        // then
        await screen.waitFor("Undone: your answer to @ben")
        #expect(await eventually { (try? await seen(by: ben)) == [] })
      }
    }
  }

  @Test func `on the map another key dismisses, and nobody is told`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        let screen = ana.screen
        screen.press("1")
        await screen.waitFor("On the map")
        try await ben.friendsService.askLocation(of: ana.userID())
        await screen.waitFor("@ben asks where you are.")
        screen.press("X")
        await screen.waitFor("@ben gets no answer, and is not told.")
        #expect(try await ana.friendsService.fetchLocationAsks().isEmpty)
        #expect(try await ben.friendsService.fetchLocationAsks().count == 1)
        #expect(try await seen(by: ben) == [])
        // The key is nobody's again.
        screen.press("X")
        await screen.waitUntilIdle()
        #expect(ana.gate.calls(of: "close_location_ask") == 1)
      }
    }
  }

  @Test func `the map asks the friend of the selected pin`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        let screen = ana.screen
        let place = LocationReport(
          coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gps")
        try await ben.locationsService.setLocationSharing(userID: nil, mode: .precise)
        try await ben.locationsService.publishLocations([place])
        screen.press("1")
        await screen.waitFor("1 live")
        screen.press("Tab")
        await screen.waitFor("±8 m")
        screen.press("W")
        await screen.waitFor("You asked @ben where they are.")
        await said("you asked", ana)
        #expect(try await ben.friendsService.fetchLocationAsks().count == 1)
      }
    }
  }

  @Test func `a ghost, and who is nowhere, is told before it what an answer means`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        let screen = ana.screen
        screen.press("!")
        await screen.waitFor("You are a ghost.")
        try await ben.friendsService.askLocation(of: ana.userID())
        await screen.waitFor("Ask where you are (1)")
        // when
        screen.press("A")
        // then
        await screen.waitFor("Show Ben where you are?")
        await screen.waitFor("You are a ghost. That ends")
        await screen.waitFor("Where you are is not known")
        #expect(ana.gate.calls(of: "set_location_sharing") == 0)
        screen.press("Esc")
        await screen.waitUntil { !screen.contains("Show Ben") }
        // when
        screen.press("A")
        await screen.waitFor("Show Ben where you are?")
        screen.press("y")
        // then
        await screen.waitFor("@ben will see you about 1 km until")
        await screen.waitUntil {
          !screen.picture.contains { $0.split(separator: " ").last == "ghost" }
        }
      }
    }
  }

  @Test func `a reader of lists hears who asks`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server, isPlain: true) { ana, ben in
        try await ben.friendsService.askLocation(of: ana.userID())
        await ana.screen.waitFor("Ben @ben, asks where you are, ")
      }
    }
  }

  @Test func `a question is announced to somebody who looks elsewhere`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, ben in
        let terminal = ana.screen.terminal
        terminal.send([.focus(false)])
        try await ben.friendsService.askLocation(of: ana.userID())
        await ana.screen.waitUntil { !terminal.sequences.isEmpty }
        #expect(
          terminal.sequences == ["\u{1b}]777;notify;Rally;@ben asks where you are.\u{1b}\\"])
        #expect(terminal.titles.last == "Rally · 1 question")
      }
    }
  }
}
