import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

@Suite @MainActor struct InvitationJourneyTests {
  @Test func `a code is made by a key, said before it is accepted, and makes friends`() async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", on: server)
      ana.screen.press("3 i")
      await ana.screen.waitFor("No code of yours is open.")
      // Looking makes none.
      #expect(try await ana.session.services.invitationsService.fetchInvitations().isEmpty)
      ana.screen.press("c")
      await ana.screen.waitFor("1 use")
      #expect(ana.screen.contains("Whoever accepts it becomes your friend"))
      let code = try #require(
        try await ana.session.services.invitationsService.fetchInvitations().first?.code)
      #expect(ana.screen.contains(code.description))
      ana.screen.press("Esc")

      bob.screen.type(":invite \(code)")
      bob.screen.press("Enter")
      await bob.screen.waitFor("Ana Pereira (@ana) invites you to be friends.")
      // Nothing is accepted by looking.
      #expect(try await bob.friendsService.fetchFriends().isEmpty)
      bob.screen.press("Esc")
      await bob.screen.waitUntil { !bob.screen.contains("invites you") }

      bob.screen.type(":invite \(code.link.lowercased())")
      bob.screen.press("Enter")
      await bob.screen.waitFor("Accept")
      bob.screen.press("Enter")
      await bob.screen.waitFor("You and @ana are friends now.")
      await bob.screen.waitFor("Online (1)")
      await ana.screen.waitFor("Online (1)")
      await ana.close()
      await bob.close()
    }
  }

  @Test func `a link of another program opens its sheet once no key comes, and over no dialog`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", on: server)
      let code = try await ana.session.services.invitationsService.createInvitation().code
      // While Bob types it does not open: the next key could be the Enter that accepts.
      bob.interface.quietTime = .seconds(3600)
      bob.screen.press("j")
      bob.session.open(code.link)
      await bob.screen.waitUntilIdle()
      #expect(!bob.interface.isCovered)
      // Once no key came for that time it does.
      bob.interface.quietTime = .zero
      bob.session.open(code.link)
      await bob.screen.waitFor("Ana Pereira (@ana) invites you to be friends.")
      bob.screen.press("Esc")
      // Over a dialog a line says it, with a key of its own.
      bob.screen.press("?")
      bob.session.open(code.link)
      await bob.screen.waitFor("An invitation came. g w shows it.")
      #expect(!bob.screen.contains("invites you"))
      bob.screen.press("Esc g w")
      await bob.screen.waitFor("Ana Pereira (@ana) invites you to be friends.")
      #expect(try await bob.friendsService.fetchFriends().isEmpty)
      await ana.close()
      await bob.close()
    }
  }

  @Test func `a code that is taken back gives nothing`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", on: server)
      let code = try await ana.session.services.invitationsService.createInvitation().code
      ana.screen.type(":invite")
      ana.screen.press("Enter")
      await ana.screen.waitFor(code.description)
      ana.screen.press("x")
      await ana.screen.waitFor("Nobody can accept \(code) any more.")
      ana.screen.press("Esc")

      bob.screen.type(":invite \(code)")
      bob.screen.press("Enter")
      await bob.screen.waitFor("There is no such code")
      bob.screen.press("Enter")
      await bob.screen.waitUntil { !bob.screen.contains("There is no such code") }
      bob.screen.type(":invite 7QK2M")
      bob.screen.press("Enter")
      await bob.screen.waitFor("A code has 16 letters and digits")
      bob.screen.press("Esc")
      await ana.close()
      await bob.close()
    }
  }

  @Test func `an answer that does not come can be asked for again`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", on: server)
      let code = try await ana.session.services.invitationsService.createInvitation().code
      bob.gate.fail("fetch_invitation", with: .timedOut)
      bob.screen.type(":invite \(code)")
      bob.screen.press("Enter")
      await bob.screen.waitFor("Try again")
      bob.gate.release("fetch_invitation")
      bob.screen.press("Enter")
      await bob.screen.waitFor("invites you to be friends")
      await ana.close()
      await bob.close()
    }
  }

  @Test func `a file shows what it brings before it is imported`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let path = ana.folder.file("walk.geojson")
      let text = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-9,38]},
         "properties":{"name":"Fog run","objectives":["Door"]}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{}}]}
        """
      try Data(text.utf8).write(to: URL(filePath: path))
      ana.screen.type(":import \(path)")
      ana.screen.press("Enter")
      await ana.screen.waitFor("1 mission, 1 problem.")
      #expect(ana.screen.contains("Give the mission a title."))
      #expect(ana.screen.contains("100 m, 1 objective"))
      let missionsService = ana.session.services.missionsService
      #expect(try await missionsService.fetchMissions(scope: .active).isEmpty)
      ana.screen.press("Enter")
      await ana.screen.waitFor("1 mission imported.")
      #expect(try await missionsService.fetchMissions(scope: .active).map(\.title) == ["Fog run"])
      ana.screen.press("Esc")

      ana.screen.type(":import \(ana.folder.file("none.gpx"))")
      ana.screen.press("Enter")
      await ana.screen.waitFor("There is no such file.")
      await ana.close()
    }
  }
}
