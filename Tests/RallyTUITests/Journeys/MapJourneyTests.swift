import Foundation
import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem
@testable import RallyTUI

/// The Map tab with real people on a real server.
@Suite struct MapJourneyTests {
  /// Dario looks at the map; Ana and Kenji are his friends and share with him.
  fileprivate struct Party {
    let dario: Journey
    let ana: Journey
    let kenji: Journey

    init(
      on server: TestServer, size: Size = Size(width: 80, height: 24), mode: SharingMode = .precise
    ) async throws {
      dario = try await Journey.live("dario", displayName: "Dario Conti", on: server, size: size)
      ana = try await Party.friend("ana", "Ana Pereira", of: dario, on: server)
      kenji = try await Party.friend("kenji", "田中 健司", of: dario, on: server)
      await dario.screen.waitFor("All 2")
      try await ana.share(mode)
      try await kenji.share(mode)
      try await ana.stand(at: 48.8606, 2.3376)
      try await kenji.stand(at: 35.6895, 139.6917)
      dario.screen.press("1")
      for name in ["ana", "kenji"] { await dario.screen.waitFor("●\(name)") }
      dario.screen.press("Esc Esc")
      await dario.screen.waitUntilIdle()
    }

    private static func friend(
      _ name: String, _ displayName: String, of dario: Journey, on server: TestServer
    ) async throws -> Journey {
      let person = try await Journey(on: server, as: name, displayName: displayName)
      try await person.friendsService.requestFriend(userID: dario.userID())
      try await dario.friendsService.respondToFriendRequest(userID: person.userID(), accept: true)
      return person
    }
  }

  @Test func `a friend who moves is followed on the other's map, with the city and the distance`()
    async throws
  {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen
      #expect(screen.contains("●ana"))
      #expect(screen.contains("●kenji"))
      #expect(screen.contains("Paris"))

      // Dario says where he is, by name.
      screen.type(":here Lisbon")
      screen.press("Enter")
      await screen.waitFor("You are at Lisbon: sharing with nobody.")
      #expect(screen.contains("you@") || screen.contains("@you"))

      // Ana travels; nobody touches a key here.
      try await party.ana.stand(at: 41.8500, 12.5600)
      await screen.waitFor("Rome")
      #expect(!screen.contains("Paris"))

      screen.press("Tab")
      await screen.waitFor("Ana Pereira")
      #expect(screen.contains("km NE of you") || screen.contains("km E of you"))
    }
  }

  @Test
  func `where the server knows no ghosts it is said that all is off, and not that one is back`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 30))
      try await ana.session.services.locationsService.setLocationSharing(
        userID: nil, mode: .precise)
      ana.gate.fail(
        "set_ghost",
        with: .refused(
          FunctionFailure(code: "PGRST202", message: "Could not find the function"), status: 404))
      ana.screen.press("!")
      await ana.screen.waitFor("Nobody sees you: this server knows no ghosts")
      #expect(!ana.screen.contains("You are back"))
      let rows = try await ana.session.services.locationsService.fetchLocationSharing()
      #expect(rows.allSatisfy { $0.mode == .off })
      await ana.close()
    }
  }

  @Test func `a ghost is gone from the other's map at once, and comes back with the same key`()
    async throws
  {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      await party.ana.start()
      await party.ana.screen.waitFor("shared with 1 · 1 precise")

      party.ana.screen.press("!")
      await party.ana.screen.waitFor("You are a ghost. ! comes back.")
      await party.dario.screen.waitFor("On the map  1 live")
      #expect(!party.dario.screen.contains("●ana"))

      party.ana.screen.press("!")
      await party.ana.screen.waitFor("You are back: shared with 1 · 1 precise.")
    }
  }

  @Test
  func `a ghost without a network says that friends may still see them, and goes when it is back`()
    async throws
  {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      await party.ana.start()
      await party.ana.screen.waitFor("shared with 1 · 1 precise")
      party.ana.gate.goOffline()

      party.ana.screen.press("!")
      await party.ana.screen.waitFor("Not a ghost yet")
      await party.ana.screen.waitFor("ghost pending · still shared with 1")
      #expect(!party.ana.screen.contains("You are a ghost"))
      #expect(party.dario.screen.contains("●ana"))

      party.ana.gate.goOffline(false)
      party.ana.screen.press("Esc r")
      await party.dario.screen.waitFor("On the map  1 live")
      await party.ana.screen.waitUntil { !party.ana.screen.contains("pending") }
    }
  }

  @Test
  func `p decides what one friend sees, u takes the last step back and asks where it shows more`()
    async throws
  {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen
      screen.type(":here 38.72,-9.14")
      screen.press("Enter")
      await screen.waitFor("You are at 38.7200, -9.1400")

      screen.press("Tab")
      await screen.waitFor("sees of you: nothing")
      screen.press("p")
      await screen.waitFor("Who sees where you are")
      screen.press("l l l")
      await screen.waitFor("shared with 1 · 1 precise")
      screen.press("t")
      await screen.waitFor("precisely until")
      // The server has agreed to all of it.
      await screen.waitUntil { !screen.contains("~") }
      screen.press("Esc")

      // What the friend sees is what was said, to the last digit.
      let here = Coordinate(latitude: 38.72, longitude: -9.14)
      let isSeen = await eventually {
        let sharing =
          try? await party.dario.session.services.locationsService.fetchLocationSharing()
        let precise = sharing?.filter { $0.mode == .precise } ?? []
        let seen = try? await party.seen(by: precise.first?.username)
        return precise.count == 1 && precise.first?.until != nil && seen?.coordinate == here
      }
      #expect(isSeen)

      // Without the end they would see it for longer.
      screen.press("u")
      await screen.waitFor(" sees exactly where you are again.")
      screen.press("y")
      await screen.waitFor("Undone: what")
      screen.press("u")
      await screen.waitFor("Nothing to undo.")
      #expect(screen.contains("shared with 1 · 1 precise"))
    }
  }

  @Test func `keys move and zoom the map, follow somebody, and Esc lets go`() async throws {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen
      let map = try #require(party.dario.session.stores?.map)
      let (centre, zoom) = (map.centre, map.zoom)
      #expect(screen.contains(" world "))

      screen.press("Tab Enter")
      await screen.waitFor("z11.0")
      #expect(screen.contains("48.9 N 2.3 E"))
      screen.press("f")
      await screen.waitFor("follows @ana")
      try await party.ana.stand(at: 41.8500, 12.5600)
      await screen.waitFor("41.9 N 12.6 E")

      // Moving by hand lets go.
      screen.press("l")
      await screen.waitUntil { !screen.contains("follows") }
      let east = screen.picture
      screen.press("h k j")
      await screen.waitUntilIdle()
      #expect(screen.picture != east)
      screen.press("- -")
      await screen.waitFor("z10.0")
      // Keys that arrive together count one by one.
      screen.terminal.send(Array(repeating: .key(.character("-")), count: 4))
      await screen.waitFor("z8.0")
      screen.press("0 Esc")
      await screen.waitFor(" world ")
      #expect((map.centre, map.zoom) == (centre, zoom))
    }
  }

  @Test func `slash goes to a person or a place by name`() async throws {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen

      screen.press("/")
      await screen.waitFor("Go to")
      screen.type("zurich")
      await screen.waitFor("Zürich  Switzerland")
      screen.press("Enter")
      await screen.waitFor("47.4 N 8.")

      screen.press("/")
      screen.type("kenj")
      await screen.waitFor("@kenji")
      screen.press("Enter")
      await screen.waitFor("35.7 N 139.7 E")
      #expect(screen.contains("田中 健司"))
    }
  }

  @Test func `o on the Friends tab shows the friend on the map`() async throws {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen
      screen.press("3 g g o")
      await screen.waitFor("48.9 N 2.3 E")
      #expect(screen.contains("▐1 Map▌"))
    }
  }

  @Test func `a coarse friend stands in the middle of a cell, and the screen says how exactly`()
    async throws
  {
    try await TestServer.with { server in
      let party = try await Party(on: server, mode: .approximate10km)
      let screen = party.dario.screen
      screen.press("Tab")
      await screen.waitFor("within about 10 km")
      #expect(screen.contains("within 15 min"))
      #expect(screen.contains("●ana"))
      #expect(!screen.contains("here since"))
      let seen = try await party.seen(in: party.dario, of: party.ana)
      let cell = GridCell(
        containing: try #require(Coordinate(latitude: 48.8606, longitude: 2.3376)),
        level: .tenKilometres)
      #expect(seen?.coordinate == cell.center)
      #expect(seen?.speed == nil)
    }
  }

  @Test func `the mouse selects a pin, drags the map and zooms to the pointer`() async throws {
    try await TestServer.with { server in
      let party = try await Party(on: server)
      let screen = party.dario.screen
      let pin = try #require(screen.position(of: "●ana"))
      @MainActor func mouse(_ kind: MouseEvent.Kind, _ point: Point) {
        screen.terminal.send([.mouse(MouseEvent(kind: kind, position: point))])
      }

      mouse(.press, pin)
      mouse(.release, pin)
      await screen.waitFor("Ana Pereira")

      mouse(.press, pin)
      mouse(.drag, Point(x: pin.x + 6, y: pin.y))
      mouse(.release, Point(x: pin.x + 6, y: pin.y))
      await screen.waitUntil { screen.position(of: "●ana")?.x == pin.x + 6 }

      let dragged = try #require(screen.position(of: "●ana"))
      mouse(.wheelUp, dragged)
      mouse(.wheelUp, dragged)
      await screen.waitUntilIdle()
      let zoomed = try #require(screen.position(of: "●ana"))
      #expect(abs(zoomed.x - dragged.x) <= 1 && abs(zoomed.y - dragged.y) <= 1)
      #expect(!screen.contains(" world "))
    }
  }

  @Test func `the map on 60 by 16 has the screen; Enter opens the person`() async throws {
    try await TestServer.with { server in
      let party = try await Party(on: server, size: Size(width: 60, height: 16))
      let screen = party.dario.screen
      #expect(!screen.contains("│"))
      screen.press("Tab Enter")
      await screen.waitFor("sees of you: nothing")
      screen.press("Esc")
      await screen.waitFor("●ana")
    }
  }

  @Test func `nobody on the map, and nothing known yet, are said in words`() async throws {
    try await TestServer.with { server in
      let zoe = try await Journey.live("zoe", on: server)
      zoe.screen.press("1")
      await zoe.screen.waitFor("Nobody shares a")
      zoe.screen.press("Tab")
      await zoe.screen.waitFor("Nobody shares a position with you yet.")
      zoe.screen.press("f")
      await zoe.screen.waitFor("Tab selects whom to follow.")
    }
  }
}

extension MapJourneyTests.Party {
  /// What a friend of Dario's fetches of him.
  fileprivate func seen(by username: String?) async throws -> LocationRecord? {
    try await seen(in: username == "ana" ? ana : kenji, of: dario)
  }

  fileprivate func seen(in reader: Journey, of person: Journey) async throws -> LocationRecord? {
    let id = try await person.userID()
    return try await reader.session.services.locationsService.fetchFriendLocations()
      .first { $0.userID == id }
  }
}

extension Journey {
  /// Shares with everybody.
  func share(_ mode: SharingMode) async throws {
    try await session.services.locationsService.setLocationSharing(userID: nil, mode: mode)
  }

  /// Publishes an exact position from elsewhere.
  func stand(at latitude: Double, _ longitude: Double) async throws {
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    try await session.services.locationsService.publishLocations([
      LocationReport(
        coordinate: coordinate, accuracyMetres: 12, recordedAt: .now, source: "manual")
    ])
  }
}
