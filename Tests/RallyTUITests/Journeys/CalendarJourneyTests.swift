import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient

@Suite struct CalendarJourneyTests {
  /// What anybody gets at an address.
  private func status(of address: String, on server: TestServer) async throws -> Int {
    let path = String(address.dropFirst(server.url.count))
    return try await Transport.live.send(
      HTTPCall(endpoint: .url(try ServerURL(server.url)), method: .get, path: path)
    ).status
  }

  @Test(arguments: [Size(width: 120, height: 40), Size(width: 60, height: 16)])
  func `an address is made by a key, copied, shown once, and revoked`(size: Size) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      ana.screen.type(":calendar")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet.")
      // Looking makes none.
      #expect(ana.gate.calls(of: "make_calendar_address") == 0)
      ana.screen.press("a")
      await ana.screen.waitFor("It is shown only this once")
      ana.screen.press("y")
      await ana.screen.waitUntil { ana.screen.terminal.clipboard != nil }
      let address = try #require(ana.screen.terminal.clipboard)
      #expect(address.hasPrefix("\(server.url)/calendar/") && address.hasSuffix(".ics"))
      #expect(try await status(of: address, on: server) == 200)
      // What follows goes on in the next row where there is no room.
      let start = "\(server.url)/calendar/"
      #expect(ana.screen.contains(start))

      ana.screen.press("Esc")
      await ana.screen.waitUntil { !ana.screen.contains(start) }
      ana.screen.press("g c")
      await ana.screen.waitFor("There is an address since")
      #expect(!ana.screen.contains(start))
      ana.screen.press("a")
      await ana.screen.waitFor("Your calendar has an address; revoke it first.")
      #expect(ana.gate.calls(of: "make_calendar_address") == 1)

      ana.screen.press("x")
      await ana.screen.waitFor("Revoke the address of your calendar?")
      ana.screen.press("Enter")
      await ana.screen.waitUntil { !ana.screen.contains("Revoke the address") }
      #expect(try await status(of: address, on: server) == 200)
      ana.screen.press("x")
      await ana.screen.waitFor("Revoke the address of your calendar?")
      ana.screen.press("y")
      await ana.screen.waitFor("The address of your calendar no longer works.")
      await ana.screen.waitFor("None yet.")
      #expect(try await status(of: address, on: server) == 404)
      await ana.close()
    }
  }

  @Test func `a server out of reach is said, and no address is shown`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.gate.fail("make_calendar_address", with: .timedOut)
      ana.screen.type(":calendar")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet.")
      ana.screen.press("a")
      await ana.screen.waitUntil { ana.screen.contains("did not answer") }
      #expect(!ana.screen.contains(".ics"))
      await ana.close()
    }
  }
}
