import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct GPXTrackTests {
  private func track(_ points: String) throws -> GPXTrack {
    try GPXTrack(
      Array("<gpx version=\"1.1\"><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8))
  }

  @Test func `a track is replayed at a multiple of the recorded speed`() throws {
    let track = try track(
      """
      <trkpt lat="38.7" lon="-9.1"><time>2026-11-22T10:00:00Z</time></trkpt>
      <trkpt lat="38.8" lon="-9.1"><time> 2026-11-22T10:01:40Z </time></trkpt>
      <trkpt lat="38.9" lon="-9.1"><time>2026-11-22T09:00:00Z</time></trkpt>
      """)
    #expect(track.count == 3)
    #expect(track.pause(before: 0, speed: 10) == .zero)
    #expect(track.pause(before: 1, speed: 10) == .seconds(10))
    // Out of order: no time is waited for.
    #expect(track.pause(before: 2, speed: 10) == .zero)
    #expect(track.pause(before: 3, speed: 10) == .zero)
  }

  @Test func `points without a time are walked`() throws {
    let track = try track(
      "<trkpt lat=\"0\" lon=\"0\"/><trkpt lat=\"0.001\" lon=\"0\"/>")
    let seconds = track.pause(before: 1, speed: 1) / .seconds(1)
    #expect(abs(seconds - 111.195 / 1.4) < 0.1)
  }

  @Test(arguments: [
    "<kml/>", "<gpx version=\"1.1\"></gpx>", "not XML", "",
    "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"91\" lon=\"0\"/></trkseg></trk></gpx>",
    "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"nan\" lon=\"0\"/></trkseg></trk></gpx>",
  ])
  func `what is no track is refused`(text: String) {
    #expect(throws: ImportProblem.self) { try GPXTrack(Array(text.utf8)) }
  }
}

@MainActor
@Suite struct PositionReplayTests {
  @Test func `a replay goes through the cut and the sampling, and leaves the pin alone`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let folder = try TemporaryFolder()
      let gate = TransportGate()
      let services = AppServices(
        folders: try RallyFolders(data: folder.path, environment: [:]),
        server: .remote(try ServerURL(server.url), key: server.key),
        broadcastStudio: BroadcastStudio(), transport: gate.transport)
      try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana", displayName: nil)
      let id = try #require(await services.authService.currentUserID)
      try await ben.friendsService.requestFriend(userID: id)
      try await services.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      try await services.currentLocationProvider.setManual(Samples.porto)
      // A hundred points in 10 km to the north.
      let points = (0..<100).map {
        "<trkpt lat=\"\(38.7 + Double($0) * 0.0009)\" lon=\"-9.1393\"/>"
      }
      let track = try GPXTrack(
        Array(
          "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8))
      @MainActor func replay() async -> [SentReport] {
        let replay = PositionReplay(
          track, speed: 1_000_000, interval: .seconds(2), services: services)
        #expect(await replay.prepare() != nil)
        var sent: [SentReport] = []
        await replay.run { _, step in
          if case .sent(let report) = step { sent.append(report) }
        }
        return sent
      }
      // when: nobody sees anything
      #expect(await replay() == [])
      #expect(gate.calls(of: "publish_locations") == 0)
      // when: one sees the cell
      try await services.locationsService.setLocationSharing(
        userID: ben.userID, mode: .approximate1km)
      let coarse = await replay()
      // then: about one report per cell, from any of a hundred points
      #expect((5...15).contains(coarse.count))
      #expect(coarse.allSatisfy { $0.precision == .approximate1km && $0.source == "replay" })
      // when: one sees everything
      try await services.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      let precise = await replay()
      // then: the first and the last, since the whole way is faster than an interval
      #expect((1...10).contains(precise.count))
      let seen = try await ben.locationsService.fetchFriendLocations().first
      #expect(abs(try #require(seen?.coordinate).latitude - (38.7 + 99 * 0.0009)) < 1e-6)
      #expect(services.currentLocationProvider.coordinate == Samples.porto)
    }
  }
}
