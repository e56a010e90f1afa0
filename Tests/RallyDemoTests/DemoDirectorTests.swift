import Foundation
import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallyDemo
@testable import RallySystem

/// The cast at a real server, with a clock that the test moves.
struct DemoDirectorTests {
  /// A demo that is prepared and whose visitor is signed in.
  private struct Play {
    let director: DemoDirector
    let manualClock: ManualClock
    let client: SupabaseClient
    let friendsService: FriendsService
    let locationsService: LocationsService
    let missionsService: MissionsService

    init(on server: TestServer) async throws {
      let address = ServerAddress(endpoint: .url(try ServerURL(server.url)), key: server.key)
      manualClock = ManualClock()
      director = DemoDirector(server: address, clock: manualClock.clock)
      let visitor = try await director.prepare()
      client = SupabaseClient(tokens: nil, prepare: { address })
      try await AuthService(client: client).signIn(
        email: visitor.email, password: visitor.password)
      friendsService = FriendsService(client: client)
      locationsService = LocationsService(client: client)
      missionsService = MissionsService(client: client)
      await director.connectAll()
    }

    /// Lets this much time pass at once.
    func play(to elapsed: Duration) async {
      manualClock.set(elapsed)
      await director.play(until: elapsed)
    }

    func friends() async throws -> Set<String> {
      Set(try await friendsService.fetchFriends().map(\.username))
    }

    /// Lets seconds pass until something has come about.
    func playUntil(
      within limit: Duration = .seconds(150), _ condition: () async throws -> Bool
    ) async throws {
      let deadline = ContinuousClock.now + PollingBackoff.limit
      while try await !condition() {
        try #require(ContinuousClock.now < deadline)
        // Events travel in real time; the time of the play waits for them.
        try await DispatchSleep.for(.milliseconds(10))
        if manualClock.elapsed < limit { await play(to: manualClock.elapsed + .milliseconds(250)) }
      }
    }
  }

  private func with(_ body: (Play) async throws -> Void) async throws {
    try await TestServer.with { server in
      let play = try await Play(on: server)
      try await body(play)
      await play.director.close()
    }
  }

  @Test func `the visitor meets friends, who are where their ways begin`() async throws {
    try await with { play in
      let expected = Set(Cast.all.filter { $0.bond == .friend }.map(\.username))
      #expect(try await play.friends() == expected)
      let asked = try await play.friendsService.fetchFriendRequests(direction: .outgoing)
      #expect(asked.map(\.profile.username) == ["ines"])
      // One who is no friend is on the way to a mission that the visitor is in.
      #expect(try await play.locationsService.fetchFriendLocations().count == expected.count + 1)
      let sharing = SharingTable(try await play.locationsService.fetchLocationSharing())
      #expect(sharing.summary(at: .now).sharedCount == expected.count)
    }
  }

  @Test func `three are on the way to a mission and come nearer, and one arrives`() async throws {
    try await with { play in
      func coming() async throws -> (distances: [String: Double], arrived: [String]) {
        let missions = try await play.missionsService.fetchMissions(scope: .active)
        let lanterns = try #require(missions.first { $0.title == "Lanterns of Monaco" })
        let rows = try await play.missionsService.fetchComing()
        let all = Coming.all(rows, to: lanterns, at: .now)
        return (
          all.reduce(into: [:]) { $0[$1.record.username] = $1.approach?.distance },
          all.filter { $0.record.arrivedAt != nil }.map(\.record.username)
        )
      }
      let before = try await coming()
      #expect(Set(before.distances.keys) == ["max", "tomas", "noor"])
      #expect(before.arrived == [])
      await play.play(to: .seconds(40))
      let after = try await coming()
      for (name, distance) in before.distances {
        #expect(try #require(after.distances[name]) < distance)
      }
      #expect(after.arrived == [])
      await play.play(to: .seconds(50))
      #expect(try await coming().arrived == ["max"])
    }
  }

  @Test func `after a minute people have moved, as exactly as they let the visitor know`()
    async throws
  {
    try await with { play in
      await play.play(to: .seconds(60))
      let friends = try await play.friendsService.fetchFriends()
      let records = try await play.locationsService.fetchFriendLocations()
        .filter { record in friends.contains { $0.id == record.userID } }
      #expect(records.count == friends.count)
      for record in records {
        let friend = try #require(friends.first { $0.id == record.userID })
        let member = try #require(Cast.member(friend.username))
        let place = try #require(record.coordinate)
        let stand = member.route.stand(after: .seconds(60))
        let metres = try #require(stand.coordinate).distance(to: place)
        #expect(record.precision == member.sharing)
        switch record.precision {
        case .precise:
          // At most a dozen seconds have passed since.
          #expect(metres <= member.route.speed * 25 + 1, "\(member.username)")
          #expect(record.battery != nil)
          #expect((record.course == nil) == (stand.course == nil), "\(member.username)")
        default: #expect(metres < (record.accuracyMetres ?? 0) * 2 && record.battery == nil)
        }
      }
    }
  }

  @Test func `within a minute one asks, one accepts, and missions go on`() async throws {
    try await with { play in
      await play.play(to: .seconds(60))
      let incoming = try await play.friendsService.fetchFriendRequests(direction: .incoming)
      #expect(incoming.map(\.profile.username) == ["tomas"])
      #expect(try await play.friends().contains("ines"))

      let active = try await play.missionsService.fetchMissions(scope: .active)
      #expect(
        Set(active.map(\.title)) == [
          "Lanterns of Monaco", "Dawn ride round the moat", "Write the ship's log",
        ])
      let lanterns = try #require(active.first { $0.title == "Lanterns of Monaco" })
      #expect(lanterns.myState == .joined && lanterns.progress.done == 1)
      #expect(active.first { $0.title == "Write the ship's log" }?.myState == .invited)
      let done = try await play.missionsService.fetchMissions(scope: .done)
      #expect(done.map(\.state) == [.completed])
      let said = try await play.missionsService.fetchMissionActivity(missionID: lanterns.id)
        .filter { $0.kind == .said }.map(\.text)
      #expect(said.count == 4)
    }
  }

  @Test func `the visitor's check-in is taken where they stand, and cheered`() async throws {
    try await with { play in
      let active = try await play.missionsService.fetchMissions(scope: .active)
      let lanterns = try #require(active.first { $0.title == "Lanterns of Monaco" })
      let viewpoint = try #require(lanterns.objectives.last)
      let (latitude, longitude) = Cast.visitor.place
      let after = try await play.missionsService.checkIn(
        viewpoint.id, of: lanterns.id,
        at: try #require(Coordinate(latitude: latitude, longitude: longitude)),
        accuracyMetres: Cast.visitor.accuracyMetres)
      #expect(after.objectives.last?.isDone == true)
      try await play.playUntil {
        try await play.missionsService.fetchMissionActivity(missionID: lanterns.id)
          .contains { DemoLines.cheers.contains($0.text ?? "") }
      }
    }
  }

  @Test func `whoever the visitor asks accepts after some seconds`() async throws {
    try await with { play in
      let sigrid = try #require(
        try await play.friendsService.findPerson(username: Username("sigrid")))
      try await play.friendsService.requestFriend(userID: sigrid.id)
      #expect(try await !play.friends().contains("sigrid"))
      try await play.playUntil { try await play.friends().contains("sigrid") }
      try await play.playUntil {
        try await play.locationsService.fetchFriendLocations().contains { $0.userID == sigrid.id }
      }
    }
  }

  @Test func `a line of the visitor's is answered once`() async throws {
    try await with { play in
      let active = try await play.missionsService.fetchMissions(scope: .active)
      let ride = try #require(active.first { $0.title.hasPrefix("Dawn ride") })
      func answers() async throws -> Int {
        try await play.missionsService.fetchMissionActivity(missionID: ride.id)
          .count { DemoLines.answers.contains($0.text ?? "") }
      }
      _ = try await play.missionsService.sayInMission(ride.id, text: "How is the water?")
      try await play.playUntil { try await answers() == 1 }
      await play.play(to: play.manualClock.elapsed + .seconds(20))
      #expect(try await answers() == 1)
    }
  }

  @Test func `who is invited by the visitor comes along and answers there`() async throws {
    try await with { play in
      let ana = try #require(try await play.friendsService.findPerson(username: Username("ana")))
      let mission = try await play.missionsService.createMission(
        CreateMission(
          title: "Breakfast", centre: try #require(Coordinate(latitude: 38.72, longitude: -9.14)),
          radiusMetres: 500))
      try await play.missionsService.inviteToMission(mission.id, userIDs: [ana.id])
      try await play.playUntil {
        try await play.missionsService.fetchMission(mission.id).memberCount == 2
      }
      _ = try await play.missionsService.sayInMission(mission.id, text: "Nine?")
      try await play.playUntil {
        try await play.missionsService.fetchMissionActivity(missionID: mission.id)
          .contains { $0.userID == ana.id && $0.kind == .said }
      }
    }
  }

  @Test func `it sleeps until the next act`() async throws {
    try await with { play in
      await play.play(to: .seconds(120))
      let next = await play.director.next
      #expect(next > .seconds(120))
      let others = DemoScript().cues(inMinute: 2).filter { $0.at > .seconds(120) && $0.at < next }
      #expect(others.isEmpty)
    }
  }
}

/// A clock that tests set. It starts a minute in the past, so that it is never far ahead of the
/// server's clock.
private final class ManualClock: Sendable {
  private let time = Mutex(Duration.zero)
  private let start = WireTime.now.advanced(by: .seconds(-60))

  var elapsed: Duration { time.withLock { $0 } }

  func set(_ elapsed: Duration) { time.withLock { $0 = elapsed } }

  var clock: DemoClock {
    DemoClock(
      elapsed: { self.elapsed }, wall: { self.start.advanced(by: self.elapsed) })
  }
}
