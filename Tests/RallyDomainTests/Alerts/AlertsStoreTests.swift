import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// Alerts in their file, with several programs of one profile.
@MainActor
@Suite struct AlertsStoreTests {
  private func row(_ precision: SharingMode = .precise) throws -> FriendPosition {
    try #require(
      FriendPosition(Samples.location(of: 2, precision: precision), of: Samples.friend(2)))
  }

  private func scene(_ positions: [FriendPosition], isCurrent: Bool = true) -> AlertScene {
    AlertScene(
      isCurrent: isCurrent, friends: [Samples.friend(2)], positions: positions, me: nil)
  }

  private let lisbon = Place(name: "Bar", coordinate: Samples.lisbon)

  private func request(_ text: String = "lu near 500m Bar") throws -> AlertRequest {
    try AlertRequest(text.split(separator: " ").map(String.init), now: Samples.time)
  }

  private func stores(
    _ body: (TestPerson, @MainActor () -> AlertsStore) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let folder = ana.folder.file("location")
      try await body(ana) {
        AlertsStore(
          authService: ana.authService, persistenceService: PersistenceService(folder: folder),
          now: { Samples.time })
      }
    }
  }

  @Test func `alerts outlive a restart in a private file, and are told by one program`()
    async throws
  {
    try await stores { ana, make in
      let (one, other) = (make(), make())
      #expect(
        try await one.add(request(), at: lisbon, in: scene([])).sentence
          == "You hear once when @lu is within 500 m of Bar. For now: @lu shows you no position now."
      )
      await other.restore()
      #expect(other.alerts == one.alerts && one.alerts.count == 1)
      let file = ana.folder.file("location/\(AlertsStore.key(userID: ana.userID)).json")
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      // Both see the row at once; who takes the alert out of the file tells it.
      let near = scene([try row()])
      async let first = one.look(at: near)
      async let second = other.look(at: near)
      let told = await [first, second].flatMap(\.self)
      #expect(told == [AlertNews(username: "lu", text: "is within 500 m of Bar")])
      #expect(await one.look(at: near).isEmpty)
      await other.restore()
      #expect(other.alerts.isEmpty)
    }
  }

  @Test func `programs that change the file at the same time lose nothing`() async throws {
    try await stores { _, make in
      let all = (0..<4).map { _ in make() }
      let tasks = all.enumerated().map { index, store in
        Task {
          for number in 0..<5 {
            let place = Place(
              name: "Bar", coordinate: Samples.coordinate(Double(index), Double(number)))
            _ = try await store.add(request(), at: place, in: scene([]))
          }
        }
      }
      for task in tasks { try await task.value }
      let store = make()
      await store.restore()
      #expect(store.alerts.count == 20)
      #expect(Set(store.alerts.map(\.id)) == Set(1...20))
      #expect(await store.remove(3) == .done(true))
      #expect(await store.remove(3) == .done(false))
    }
  }

  @Test func `what is so already is said at once, unless it is of an earlier run`() async throws {
    try await stores { _, make in
      let store = make()
      let near = try scene([row()])
      #expect(
        try await store.add(request(), at: lisbon, in: near).sentence
          == "@lu is within 500 m of Bar already.")
      let porto = Place(name: "Porto", coordinate: Samples.porto)
      #expect(
        try await store.add(request("lu leaves Porto"), at: porto, in: near).sentence
          == "@lu is more than 200 m away from Porto already.")
      #expect(store.alerts.isEmpty)
      let cached = try scene([row()], isCurrent: false)
      #expect(
        try await store.add(request(), at: lisbon, in: cached).sentence
          == "You hear once when @lu is within 500 m of Bar.")
      #expect(await store.look(at: cached).isEmpty)
      #expect(await store.look(at: near).count == 1)
    }
  }

  @Test func `the same again takes its place, and there are not too many`() async throws {
    try await stores { _, make in
      let store = make()
      for text in ["lu near 500m Bar", "lu near 1km Bar until 2h"] {
        _ = try await store.add(request(text), at: lisbon, in: scene([]))
      }
      #expect(store.alerts.map(\.metres) == [1000])
      for number in 1..<KeptAlerts.limit {
        let place = Place(name: nil, coordinate: Samples.coordinate(Double(number), 0))
        _ = try await store.add(request(), at: place, in: scene([]))
      }
      let problem = await #expect(throws: FieldProblem.self) {
        try await store.add(request("lu near 500m Porto"), at: lisbon, in: scene([]))
      }
      #expect(problem?.advice == "You have 50 alerts; remove one of them first.")
    }
  }

  @Test func `an alert that cannot be written says so and holds while the program runs`()
    async throws
  {
    try await stores { ana, make in
      // given: a folder in place of the file, which can be neither read nor replaced
      let file = ana.folder.file("location/\(AlertsStore.key(userID: ana.userID)).json")
      try FileManager.default.createDirectory(
        atPath: file + "/x", withIntermediateDirectories: true)
      let store = make()
      // when
      await store.restore()
      let added = try await store.add(request(), at: lisbon, in: scene([]))
      await store.restore()
      // then
      #expect(store.loadState.failure?.description == "\(file) cannot be used (is a directory).")
      #expect(added.unkept == store.loadState.failure?.description)
      #expect(store.presentedError == nil)
      #expect(store.alerts.count == 1)
      #expect(await !store.remove(1).isDone)
      #expect(store.presentedError?.title == "The alert is back at the next start")
      #expect(store.alerts.isEmpty)
      try FileManager.default.removeItem(atPath: file)
      await store.restore()
      #expect(store.loadState == .loaded)
    }
  }
}
