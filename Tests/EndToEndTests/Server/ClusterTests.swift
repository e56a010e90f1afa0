import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem

extension EndToEnd {
  /// Two processes of `rally serve` on one database, and clients that know both addresses.
  @Suite struct ClusterTests {
    /// How servers go while people speak.
    enum Loss: CaseIterable {
      /// One is killed and stays away.
      case killed
      /// One after the other is ended and started again.
      case restarted
    }

    private static func choice(_ first: ServerProcess, _ second: ServerProcess) async throws
      -> ServerChoice
    {
      let (one, other) = (
        try #require(await first.announcement), try #require(await second.announcement)
      )
      // Nothing but the file of the encryption key is shared, and people need one key for both.
      #expect(one.key == other.key)
      return .remote(
        try ServerURL(one.url), key: one.key, others: [try ServerURL(other.url)])
    }

    /// What the server has, the oldest first.
    private static func stored(
      _ mission: UUID, _ client: SupabaseClient
    ) async throws -> [String] {
      var texts: [String] = []
      var before: WireTime?
      while true {
        let page = try await client.call(
          FetchMissionActivity(missionID: mission, before: before, limit: 100))
        texts += page.compactMap(\.text)
        guard let last = page.last, page.count == 100 else { return texts.reversed() }
        before = last.createdAt
      }
    }

    @MainActor
    @Test(arguments: Loss.allCases)
    func `a server that goes under load loses nothing, and its clients go on at the other`(
      _ loss: Loss
    ) async throws {
      let folder = try TemporaryFolder()
      let cluster = try await ServerCluster(of: 2, budgets: ["messages-per-minute=1000000"])
      let (one, other) = (cluster.nodes[0], cluster.nodes[1])
      let choice = try await Self.choice(one, other)
      var people: [AppServices] = []
      for name in ["ana", "bob", "cleo", "dan"] {
        people.append(
          AppServices(
            folders: try RallyFolders(
              data: folder.file(name), profile: nil, environment: folder.environment),
            server: choice))
      }
      var talks: [(mission: UUID, talk: Talk)] = []
      for (number, services) in people.enumerated() {
        try await services.authService.signUp(
          email: "ana\(number)@example.org", password: Home.password, username: "ana\(number)")
        let centre = try #require(Coordinate(latitude: 38.7, longitude: -9.1))
        let mission = try await services.client.call(
          CreateMission(
            title: "Talk", centre: centre, radiusMetres: 100, startsAt: nil, endsAt: nil,
            capacity: nil, visibility: .private, objectives: nil)
        ).id
        talks.append((mission, Talk()))
      }
      // One of them listens.
      let updates = try await FriendsRealtimeService(client: people[0].client).listen()
      let realtime = try #require(people[0].client.realtime)
      var links = await realtime.linkStates().makeAsyncIterator()
      await realtime.start()
      while let link = await links.next(), link != .live {}

      let (acknowledgements, noted) = AsyncStream.makeStream(of: Void.self)
      let speaking = zip(people, talks).map { services, entry in
        let client = services.client
        return Task { await entry.talk.speak(in: entry.mission, through: client) { noted.yield() } }
      }
      var count = 0
      for await _ in acknowledgements {
        count += 1
        switch (loss, count) {
        case (.killed, 40): try await one.kill()
        case (.restarted, 40), (.restarted, 200):
          let server = count == 40 ? one : other
          try await server.terminate()
          try await cluster.start(server)
        default: break
        }
        if count == 400 || talks.contains(where: { $0.talk.problem != nil }) { break }
      }
      for (_, talk) in talks { talk.end() }
      for task in speaking { await task.value }
      for (services, (mission, talk)) in zip(people, talks) {
        #expect(talk.problem == nil)
        #expect(try await Self.stored(mission, services.client) == talk.said)
      }
      // Live again at the other address, without a new sign-in.
      var wasLost = false
      while let link = await links.next() {
        if link != .live { wasLost = true } else if wasLost { break }
      }
      #expect(wasLost)
      await realtime.stop()
      withExtendedLifetime(updates) {}
      try await cluster.terminate()
    }
  }

  /// What one person said.
  private final class Talk: Sendable {
    private struct State {
      var said: [String] = []
      var problem: String?
      var isOver = false
    }

    private let state = Mutex(State())

    var said: [String] { state.withLock { $0.said } }
    var problem: String? { state.withLock { $0.problem } }

    func end() { state.withLock { $0.isOver = true } }

    /// Says one line after the other until `end` or a failure, which is noted too.
    func speak(
      in mission: UUID, through client: SupabaseClient, noting acknowledged: @Sendable () -> Void
    ) async {
      var number = 0
      while !state.withLock({ $0.isOver }) {
        number += 1
        let text = "line \(number)"
        do {
          _ = try await client.call(
            SayInMission(missionID: mission, text: text), clientID: UUID())
        } catch {
          state.withLock { $0.problem = "\(error)" }
          return acknowledged()
        }
        state.withLock { $0.said.append(text) }
        acknowledged()
      }
    }
  }
}
