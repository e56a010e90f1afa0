import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem
@testable import RallyTUI

/// Deciding who sees where I am, key by key.
@Suite struct SharingSheetJourneyTests {
  /// Ana at the screen, with Duo as her only friend, who is selected.
  private func befriended(
    on server: TestServer, size: Size = Size(width: 80, height: 24),
    _ body: (Journey) async throws -> Void
  ) async throws {
    let ana = try await Journey.live("ana", on: server, size: size)
    let duo = try await Journey(on: server, as: "duo", displayName: "Duo")
    try await duo.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
    await ana.screen.waitFor("All 1")
    await ana.screen.waitUntil { ana.session.stores?.locationSharing.sharing?.friends.count == 1 }
    try await body(ana)
    await ana.close()
  }

  /// What the server has for Duo, or by default.
  private func setting(
    _ journey: Journey, general: Bool = false
  ) async -> (mode: SharingMode, minutes: Int64?)? {
    let rows = try? await journey.session.services.locationsService.fetchLocationSharing()
    guard let row = rows?.first(where: { ($0.userID == nil) == general }) else { return nil }
    let seconds = row.until?.since(.now).components.seconds
    return (row.mode, seconds.map { ($0 + 59) / 60 })
  }

  private func shares(
    _ journey: Journey, general: Bool = false, _ mode: SharingMode, minutes: Int64? = nil
  ) async -> Bool {
    await eventually {
      guard let setting = await setting(journey, general: general) else { return false }
      return setting.mode == mode && setting.minutes == minutes
    }
  }

  @Test func `another precision leaves the end as it is, and nothing has none`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        ana.screen.press("s 3 t Esc")
        #expect(await shares(ana, .precise, minutes: 30))
        ana.screen.press("s 1")
        #expect(await shares(ana, .approximate10km, minutes: 30))
        ana.screen.press("0")
        #expect(await shares(ana, .off))
      }
    }
  }

  @Test func `an act that cannot be undone closes what lies before it`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        // given: Duo saw precisely for a moment
        ana.screen.press("s 3")
        #expect(await shares(ana, .precise))
        ana.screen.press("0 Esc")
        #expect(await shares(ana, .off))
        // when
        ana.screen.press("x")
        await ana.screen.waitFor("Unfriend Duo?")
        ana.screen.press("y")
        await ana.screen.waitFor("You and @duo are no longer friends.")
        ana.screen.press("u")
        // then
        await ana.screen.waitFor("Unfriending cannot be undone.")
      }
    }
  }

  @Test func `an undo by which somebody sees more is asked, with their name, over the sheet too`()
    async throws
  {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        // given
        ana.screen.press("s 3")
        #expect(await shares(ana, .precise))
        ana.screen.press("0")
        #expect(await shares(ana, .off))
        await ana.screen.waitUntil { !ana.screen.contains("~") }
        // when
        ana.screen.press("u")
        // then
        await ana.screen.waitFor("Undo what Duo may see of you?")
        await ana.screen.waitFor("Duo sees exactly where you are again.")
        ana.screen.press("Esc")
        await ana.screen.waitUntil { !ana.screen.contains("Undo what Duo") }
        #expect(await shares(ana, .off))
        // when: the question is answered
        ana.screen.press("u")
        await ana.screen.waitFor("Undo what Duo may see of you?")
        ana.screen.press("y")
        await ana.screen.waitFor("Undone: what Duo may see of you")
        #expect(await shares(ana, .precise))
        // when: what shows less is not asked
        ana.screen.press("^R")
        await ana.screen.waitFor("Redone: what Duo may see of you")
        #expect(await shares(ana, .off))
      }
    }
  }

  @Test func `a time for somebody who sees nothing shares as the answer to a question does`()
    async throws
  {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        ana.screen.press("s t t")
        await ana.screen.waitFor("Duo will see the area you are in (1 km) until")
        #expect(await shares(ana, .approximate1km, minutes: 60))
        // when: everybody else, who is last
        ana.screen.press("G")
        await ana.screen.waitFor("Everybody else sees nothing of you.")
        ana.screen.press("t")
        #expect(await shares(ana, general: true, .approximate10km, minutes: 30))
      }
    }
  }

  @Test func `an end is typed, and what is none is answered in the open field`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        ana.screen.press("s 2 Enter")
        ana.screen.type("soon")
        ana.screen.press("Enter")
        await ana.screen.waitFor("Type how long or until when: 45m, 2h, 21:00, tonight or friday.")
        ana.screen.press("BS BS BS BS")
        ana.screen.type("45m")
        ana.screen.press("Enter")
        #expect(await shares(ana, .approximate1km, minutes: 45))
        await ana.screen.waitFor("how long")
        // when: the field is left, then the sheet
        ana.screen.press("Enter Esc")
        await ana.screen.waitFor("how long")
        ana.screen.press("Esc")
        await ana.screen.waitUntil { !ana.screen.contains("Who sees where you are") }
      }
    }
  }

  @Test func `keys in a row leave one message, of the last one`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana in
        ana.screen.press("s 1 2 3")
        await ana.screen.waitFor("0/1/2/3 nothing, 10 km")
        #expect(!ana.screen.contains("more, less"))
        #expect(ana.screen.contains("Esc close"))
        await ana.screen.waitFor(
          "✓ Duo will see exactly where you are, once you say where you are.")
        ana.screen.press("Esc")
        ana.screen.type(":messages")
        ana.screen.press("Enter")
        await ana.screen.waitFor("Messages")
        let said = ana.screen.picture.filter { $0.contains("Duo will see") && $0.contains("│") }
        #expect(said.count == 1, "\(said)")
      }
    }
  }

  @Test func `a friend who comes is known at once, and keys are for them alone`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let duo = try await Journey(on: server, as: "duo", displayName: "Duo")
      try await duo.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
      await ana.screen.waitFor("All 1")
      // when
      ana.screen.press("s")
      await ana.screen.waitFor("Duo sees nothing of you.")
      ana.screen.press("3")
      // then
      await ana.screen.waitFor("✓ Duo will see exactly where you are, once you say where you are.")
      #expect(await shares(ana, .precise))
      #expect(ana.gate.calls(of: "set_location_sharing") == 1)
      await ana.close()
    }
  }

  @Test func `a narrow and low screen shows the row, what it means and how to change it`()
    async throws
  {
    try await TestServer.with { server in
      try await befriended(on: server, size: Size(width: 60, height: 16)) { ana in
        ana.screen.press("s 1")
        await ana.screen.waitFor("Duo will see the city you are in, once you say")
        for text in ["▸", "about 10 km", "nothing, 10 km, 1 km, precise", "Esc close"] {
          #expect(ana.screen.contains(text), "\(text)")
        }
      }
    }
  }
}
