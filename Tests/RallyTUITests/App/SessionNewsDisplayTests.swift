import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem
@testable import RallyTUI

/// What reaches somebody who looks elsewhere: the window's title, and announcements.
@Suite struct SessionNewsDisplayTests {
  @Test func `what waits is counted behind the sentence that the terminal is too small`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.resize(to: Size(width: 20, height: 2))
      await ana.screen.waitFor("Rally needs")
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitUntil { ana.screen.terminal.titles.last == "Rally · 1 request" }
    }
  }

  @Test func `the title counts what waits, and is written when it changes`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      #expect(ana.screen.terminal.titles.last == "Rally")
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitUntil { ana.screen.terminal.titles.last == "Rally · 1 request" }
      try await bob.friendsService.cancelFriendRequest(userID: ana.userID())
      await ana.screen.waitUntil { ana.screen.terminal.titles.last == "Rally" }
      #expect(ana.screen.terminal.titles == ["Rally", "Rally · 1 request", "Rally"])
      await ana.close()
    }
  }

  @Test func `the title says how many of what`() {
    #expect(FrameSummary.waiting(requests: 0, invitations: 0).isEmpty)
    #expect(FrameSummary.waiting(requests: 2, invitations: 1) == "2 requests · 1 invitation")
    #expect(FrameSummary.waiting(requests: 0, invitations: 3) == "3 invitations")
    #expect(FrameSummary.waiting(requests: 0, invitations: 0, questions: 1) == "1 question")
  }

  @Test func `a request is announced once to somebody who looks elsewhere, else not`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let terminal = ana.screen.terminal
      let bob = try await TestPerson(signingUp: "bob", on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      // What the first fetch brings is not announced.
      await ana.screen.waitFor("Nobody here yet")
      // On the Friends tab it is seen.
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitFor("@bob wants to be friends.")
      terminal.send([.focus(false)])
      await ana.screen.waitUntilIdle()
      try await cleo.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitUntil { !terminal.sequences.isEmpty }
      #expect(
        terminal.sequences == ["\u{1b}]777;notify;Rally;@cleo wants to be friends.\u{1b}\\"])
      await ana.close()
    }
  }

  @Test func `what a friend says in a mission is announced unless the mission is open`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let mission = try await ana.makeMission(visibility: .friends)
      let service = bob.session.services.missionsService
      _ = try await service.joinMission(mission.id)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.terminal.send([.focus(false)])
      _ = try await service.sayInMission(mission.id, text: "left at the stairs")
      await ana.screen.waitUntil { !ana.screen.terminal.sequences.isEmpty }
      #expect(
        ana.screen.terminal.sequences == [
          "\u{1b}]777;notify;Rally;@bob in “Lanterns”: left at the stairs\u{1b}\\"
        ])
      await ana.close()
      await bob.close()
    }
  }
}
