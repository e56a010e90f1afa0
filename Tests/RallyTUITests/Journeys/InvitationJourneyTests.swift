import Foundation
import RallyDomain
import RallyServer
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient
@testable import RallyTUI

@Suite struct InvitationJourneyTests {
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
      #expect(bob.interface.quietTime == .milliseconds(700))
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

  // MARK: - With the link alone

  private func link(_ journey: Journey) async throws -> String {
    let code = try await journey.session.services.invitationsService.createInvitation().code
    return InvitationLink(code: code, from: journey.session.services.server).description
  }

  @Test func `a link, a username and a password make a friend, whom the map shows`() async throws {
    try await TestServer.with(configure: { $0.signUpPolicy = .open }) { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let locations = ana.session.services.locationsService
      try await locations.setLocationSharing(userID: nil, mode: .precise)
      let cleo = try await Journey(on: server, isElsewhere: true)
      #expect(cleo.screen.contains("this machine"))
      cleo.screen.paste("Come! <\(try await link(ana))>")
      await cleo.screen.waitFor("@ana invites you: you become friends.")
      await cleo.screen.waitFor("▸ Username")
      #expect(cleo.screen.contains(server.url))
      #expect(!cleo.screen.contains("E-mail"))
      cleo.screen.type("cleo")
      cleo.screen.press("Enter")
      cleo.screen.type("correct horse")
      cleo.screen.press("Enter")
      await cleo.screen.waitFor("You and @ana are friends now.")
      // Nothing was stored of where she is while nobody saw her.
      try await locations.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      await cleo.screen.waitUntil {
        cleo.session.services.navigationService.selectedTab == .map
          && cleo.session.stores?.map.selectedID != nil
      }
      #expect(try await ana.friendsService.fetchFriends().map(\.username) == ["cleo"])
      await ana.screen.waitFor("@cleo came by your invitation.")
      await ana.close()
      await cleo.close()
    }
  }

  @Test func `who has an account there signs in, one key away, and is asked nothing`() async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await Journey(on: server, as: "bob")
      let bob = try await Journey(on: server, isElsewhere: true)
      bob.session.open(try await link(ana))
      await bob.screen.waitFor("@ana invites you")
      bob.screen.press("^N")
      bob.screen.type("bob@example.org")
      bob.screen.press("Tab")
      bob.screen.type(Samples.password)
      bob.screen.press("Enter")
      await bob.screen.waitFor("You and @ana are friends now.")
      #expect(try await ana.friendsService.fetchFriends().map(\.username) == ["bob"])
      await ana.close()
      await bob.close()
    }
  }

  @Test func `a link of another program waits while a form is filled in, a pasted one does not`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let cleo = try await Journey(on: server, isElsewhere: true)
      cleo.interface.quietTime = .seconds(3600)
      cleo.screen.type("cl")
      cleo.session.open(try await link(ana))
      await cleo.screen.waitFor("You have an invitation.")
      #expect(cleo.session.lookup == .nothing)
      // The server's form takes a link in place of an address.
      cleo.screen.press("^T")
      await cleo.screen.waitFor("▸ Server")
      cleo.screen.paste(try await link(ana))
      cleo.screen.press("Enter")
      await cleo.screen.waitFor("@ana invites you: you become friends.")
      await ana.close()
      await cleo.close()
    }
  }

  @Test func `a link that opens nothing says why, and the forms come back`() async throws {
    try await TestServer.with { server in
      let cleo = try await Journey(on: server, isElsewhere: true)
      let unknown = InvitationLink(
        code: try InvitationCode("0000000000000000"), server: try ServerURL(server.url))
      cleo.session.open(unknown.description)
      await cleo.screen.waitFor("This invitation is not open")
      cleo.screen.press("Esc")
      await cleo.screen.waitFor("New account")
      #expect(cleo.screen.contains("this machine"))
      cleo.screen.paste("https://rally.example.org/i#7QK2")
      await cleo.screen.waitFor("This link is cut")
      await cleo.close()
    }
  }

  @Test func `who is signed in elsewhere is offered a profile of its own`() async throws {
    try await TestServer.with { server in
      let bob = try await Journey.live("bob", on: server)
      bob.screen.type(":invite https://climbers.example.org/i#7QK2MX9PTFH3W8RT")
      bob.screen.press("Enter")
      await bob.screen.waitFor("This invitation is for https://climbers.example.org.")
      #expect(bob.screen.contains("The profile “climbers”"))
      #expect(bob.session.handover == nil)
      bob.screen.press("Enter")
      #expect(
        bob.session.handover
          == ProfileHandover(
            profile: "climbers",
            link: "rally://invite/7QK2MX9PTFH3W8RT?server=https%3A%2F%2Fclimbers.example.org"))
      await bob.close()
    }
  }

  @Test func `the profile that is offered can have another name`() async throws {
    try await TestServer.with { server in
      let bob = try await Journey.live("bob", on: server)
      bob.screen.type(":invite https://climbers.example.org/i#7QK2MX9PTFH3W8RT")
      bob.screen.press("Enter")
      await bob.screen.waitFor("The profile “climbers”")
      // No name of a folder, and one that is there.
      bob.screen.type("/")
      bob.screen.press("Enter")
      #expect(bob.screen.contains("Name the profile with 1 to 32 letters"))
      #expect(bob.session.handover == nil)
      for _ in 0..<20 { bob.screen.press("Backspace") }
      bob.screen.type("default")
      bob.screen.press("Enter")
      #expect(bob.screen.contains("There is a profile of this name"))
      #expect(bob.session.handover == nil)
      for _ in 0..<20 { bob.screen.press("Backspace") }
      bob.screen.type("rocks")
      #expect(bob.screen.contains("rally --profile rocks"))
      bob.screen.press("Enter")
      #expect(bob.session.handover?.profile == "rocks")
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
