import Foundation
import RallyClient
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem

@Suite struct PhoneJourneyTests {
  @Test func `a phone is added by a key, its code is read back, and it is revoked`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 48))
      ana.screen.type(":phones")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet. Choose the app that the phone has:")
      ana.screen.press("o")
      await ana.screen.waitUntil { ana.screen.contains("█") }
      let rows = ana.screen.picture
      let code = rows.filter { $0.contains { "█▀▄".contains($0) } }.map(Self.inner)
      let link = try await QRCodeReader.text(in: code)
      #expect(link.hasPrefix("owntracks:///config?inline="))
      ana.screen.press("Esc")
      await ana.screen.waitFor("OwnTracks             has not reported yet")

      let phones = ana.session.services.phonesService
      #expect(try await phones.fetchPhones().map(\.app) == [.owntracks])
      ana.screen.press("x")
      await ana.screen.waitFor("Revoke OwnTracks?")
      ana.screen.press("y")
      await ana.screen.waitFor("OwnTracks no longer reports for you.")
      #expect(try await phones.fetchPhones().isEmpty)
      await ana.close()
    }
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 16)])
  func `where there is no room for a code it says what to type`(size: Size) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      ana.screen.type(":phones")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet.")
      ana.screen.press("v")
      await ana.screen.waitFor("Receiver endpoint URL")
      #expect(ana.screen.contains("there is a QR code here"))
      #expect(ana.screen.contains("/phone/overland"))
      #expect(ana.screen.contains("Access token"))
      // A second one of the same app has a name of its own.
      ana.screen.press("Esc")
      await ana.screen.waitFor("Overland              has not reported yet")
      ana.screen.press("v")
      await ana.screen.waitFor("Receiver endpoint URL")
      ana.screen.press("Esc")
      await ana.screen.waitFor("Overland 2            has not reported yet")
      await ana.close()
    }
  }

  @Test func `the server out of reach is said, and nothing was made up`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.gate.fail("add_phone", with: .timedOut)
      ana.screen.type(":phones")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet.")
      ana.screen.press("t")
      await ana.screen.waitUntil { ana.screen.contains("did not answer") }
      #expect(!ana.screen.contains("shown only this once"))
      await ana.close()
    }
  }

  /// What stands between the sides of the box.
  private static func inner(_ row: String) -> String {
    guard let first = row.firstIndex(of: "│"), let last = row.lastIndex(of: "│"), first < last
    else { return row }
    return String(row[row.index(after: first)..<last])
  }
}
