import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// What I hear of friends who show me where they are.
@Suite struct SharedWithMeJourneyTests {
  private let place = LocationReport(
    coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gps")

  private func friend(_ name: String, of ana: Journey, on server: TestServer) async throws
    -> TestPerson
  {
    let person = try await TestPerson(signingUp: name, on: server)
    try await person.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: person.userID, accept: true)
    await ana.screen.waitFor("@\(name)")
    return person
  }

  /// Waits until friends and positions were fetched since, and are drawn.
  private func fetched(_ ana: Journey, since time: WireTime) async {
    await ana.screen.waitUntil {
      guard let stores = ana.session.stores else { return false }
      return [stores.map.asOf, stores.social.asOf].allSatisfy { $0.map { $0 >= time } ?? false }
    }
    await ana.screen.waitUntilIdle()
  }

  /// The messages of this session that say who shows something.
  private func said(_ ana: Journey) async -> [String] {
    ana.screen.type(":messages")
    ana.screen.press("Enter")
    await ana.screen.waitFor("Messages")
    return ana.screen.picture.filter { $0.contains("│") && $0.contains("show") }
  }

  @Test func `who begins to show something, and more of it, is told once each`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let ben = try await friend("ben", of: ana, on: server)
      await fetched(ana, since: .now.advanced(by: .seconds(-3600)))
      // when: to all of their friends
      try await ben.locationsService.setLocationSharing(userID: nil, mode: .approximate10km)
      try await ben.locationsService.publishLocations([place])
      // then
      await ana.screen.waitFor("@ben shows you their city.")
      // when: to somebody who looks elsewhere
      ana.screen.terminal.send([.focus(false)])
      try await ben.locationsService.setLocationSharing(userID: ana.userID(), mode: .precise)
      try await ben.locationsService.publishLocations([place])
      // then
      await ana.screen.waitFor("@ben shows you exactly where they are.")
      await ana.screen.waitUntil { !ana.screen.terminal.sequences.isEmpty }
      #expect(
        ana.screen.terminal.sequences == [
          "\u{1b}]777;notify;Rally;@ben shows you exactly where they are.\u{1b}\\"
        ])
      // when: less, and somebody else
      try await ben.locationsService.setLocationSharing(userID: ana.userID(), mode: .off)
      let cleo = try await friend("cleo", of: ana, on: server)
      try await cleo.locationsService.setLocationSharing(userID: nil, mode: .approximate1km)
      try await cleo.locationsService.publishLocations([place])
      // then
      await ana.screen.waitFor("@cleo shows you the area they are in.")
      let said = await said(ana)
      #expect(said.count == 3, "\(said)")
      await ana.close()
    }
  }

  @Test func `what was so at the start, or comes again with the connection, is not told`()
    async throws
  {
    try await TestServer.with { server in
      // given: a friend who shared while the program did not run
      let ana = try await Journey.live("ana", on: server)
      let ben = try await friend("ben", of: ana, on: server)
      let cleo = try await friend("cleo", of: ana, on: server)
      await ana.close()
      try await ben.locationsService.setLocationSharing(userID: nil, mode: .precise)
      try await ben.locationsService.publishLocations([place])
      let time = WireTime.now
      await ana.start()
      await ana.screen.waitFor("● live")
      await fetched(ana, since: time)
      // when: the connection is lost and back
      let lost = WireTime.now
      ana.gate.breakSockets()
      ana.screen.press("r")
      await fetched(ana, since: lost)
      await ana.screen.waitFor("● live")
      try await cleo.locationsService.setLocationSharing(userID: nil, mode: .precise)
      try await cleo.locationsService.publishLocations([place])
      // then
      await ana.screen.waitFor("@cleo shows you exactly where they are.")
      let said = await said(ana)
      #expect(said.count == 1, "\(said)")
      await ana.close()
    }
  }
}
