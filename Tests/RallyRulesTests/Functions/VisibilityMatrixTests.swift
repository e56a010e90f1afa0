import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Everybody who may stand to ana in some way asks everything that can be asked about her.
@Suite(.everyEngine) struct VisibilityMatrixTests {
  private struct Scene {
    let world: ServerWorld
    let monitor: StatementMonitor
    let target: VisibilityTarget
    /// A mission of each viewer's own.
    let own: [UUID]

    /// Asks as if nobody had asked before; nothing of it stays.
    func answer(
      _ probe: VisibilityProbe, about target: VisibilityTarget, as viewer: Viewer
    ) async throws -> (text: String, statements: [String]) {
      var target = target
      target.own = own[viewer.rawValue]
      _ = monitor.takeStatements()
      let text = try await world.call(probe.call(target), as: viewer.rawValue)
      return (text, monitor.takeStatements())
    }
  }

  private static func scene() async throws -> Scene {
    let monitor = StatementMonitor()
    let world = try await ServerWorld(
      members: Viewer.allCases.count, at: ServerWorld.noon,
      tables: ["friendships", "locations", "location_asks"] + ServerWorld.missionTables,
      monitor: monitor)
    func id(_ person: Viewer) -> UUID { world.members[person.rawValue].id }
    let ana = Viewer.ana.rawValue
    for other in [Viewer.friend, .blocked, .blocker] {
      try await world.befriend(ana, other.rawValue)
    }
    try await world.call(RequestFriend(userID: id(.ana)), as: Viewer.asker.rawValue)
    try await world.call(RequestFriend(userID: id(.asked)), as: ana)
    try await world.call(AskLocation(userID: id(.ana)), as: Viewer.friend.rawValue)
    try await world.share(.approximate1km, of: ana)
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: ana)
    var own: [UUID] = []
    for viewer in Viewer.allCases {
      let mission = try await world.create(.sample("Own", at: .porto), as: viewer.rawValue)
      own.append(mission.id)
    }
    try await world.block(Viewer.blocked.rawValue, by: ana)
    try await world.block(ana, by: Viewer.blocker.rawValue)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "Door"), ObjectiveInput(title: "Roof")]))
    try await world.join(mission.id, as: Viewer.friend.rawValue)
    let invitation = try await world.result(
      of: CreateInvitation(missionID: nil, uses: 9), as: ana)
    try await world.turn()
    for viewer in Viewer.allCases { _ = await world.frames(for: viewer.rawValue) }
    return Scene(
      world: world, monitor: monitor,
      target: VisibilityTarget(
        person: id(.ana), username: "person_0", mission: mission.id,
        objective: mission.objectives[0].id, code: invitation.code, own: mission.id), own: own)
  }

  /// One word for an answer: see `VisibilityProbe.answers`.
  private static func word(_ text: String) -> String {
    if text.isEmpty { return "ok" }
    guard let json = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)) else {
      return text
    }
    if let rows = json.array { return rows.isEmpty ? "none" : "rows" }
    if let word = json.string { return word }
    guard
      let failure = try? WireJSON.decode(FunctionFailure.self, from: Data(text.utf8))
    else { return "row" }
    return failure.hint ?? failure.code
  }

  // MARK: - Functions

  @Test func `every function answers everybody as it should`() async throws {
    let scene = try await Self.scene()
    scene.monitor.undoesWrites = true
    for probe in VisibilityProbe.all {
      var words: [String] = []
      for viewer in Viewer.others {
        words.append(
          Self.word(
            try await scene.answer(probe, about: scene.target, as: viewer).text))
      }
      #expect(words == probe.answers, "\(probe.name)")
    }
  }

  @Test func `no function is forgotten here`() throws {
    let table = FunctionTable(presence: PresentUsers(), moves: try .immediate())
    let known = VisibilityProbe.aboutNobody.union(VisibilityProbe.all.map(\.name))
    #expect(known == Set(table.names))
  }

  @Test func `to the blocked she is an unknown id, in every byte and every step`() async throws {
    let scene = try await Self.scene()
    let unknown = try VisibilityTarget.unknown(own: UUID())
    scene.monitor.undoesWrites = true
    for probe in VisibilityProbe.all {
      let her = try await scene.answer(probe, about: scene.target, as: .blocked)
      let nobody = try await scene.answer(probe, about: unknown, as: .blocked)
      #expect(her.text == nobody.text, "\(probe.name)")
      #expect(her.statements == nobody.statements, "\(probe.name)")
      #expect(!her.statements.isEmpty)
    }
  }

  // MARK: - Events

  @Test func `only those who may know hear what she does`() async throws {
    let scene = try await Self.scene()
    let world = scene.world
    func heard() async throws -> [Viewer] {
      try await world.turn()
      var heard: [Viewer] = []
      for viewer in Viewer.others {
        let frames = await world.frames(for: viewer.rawValue)
        if !frames.isEmpty { heard.append(viewer) }
      }
      return heard
    }
    func act(_ call: some RemoteFunction) async throws -> [Viewer] {
      try await world.call(call, as: Viewer.ana.rawValue)
      return try await heard()
    }
    func id(_ person: Viewer) -> UUID { world.members[person.rawValue].id }
    let mission = scene.target.mission
    world.wait(seconds: 60)
    let report = LocationReport.sample(.porto, at: world.now)
    #expect(try await act(PublishLocations(locations: [report])) == [.friend])
    #expect(try await act(SayInMission(missionID: mission, text: "hello")) == [.friend])
    #expect(try await act(SetGhost(isGhost: true)) == [.friend])
    #expect(try await act(SetGhost(isGhost: false)) == [])
    #expect(try await act(PublishLocations(locations: [report])) == [.friend])
    #expect(try await act(SetLocationSharing(userID: nil, mode: .off)) == [.friend])
    #expect(try await act(AskLocation(userID: id(.friend))) == [.friend])
    #expect(try await act(CloseLocationAsk(userID: id(.friend))) == [])
    #expect(try await act(CancelFriendRequest(userID: id(.asked))) == [.asked])
    #expect(
      try await act(RespondToFriendRequest(userID: id(.asker), accept: false)) == [.asker])
    let begin = BeginOnMyWay(missionID: mission, userIDs: Viewer.others.map(id))
    #expect(try await act(begin) == [.friend])
    #expect(try await act(EndOnMyWay(missionID: mission)) == [.friend])
    #expect(try await act(CancelMission(missionID: mission)) == [.friend])
    #expect(try await act(UnblockUser(userID: id(.blocked))) == [])
    #expect(try await act(BlockUser(userID: id(.stranger))) == [])
    #expect(try await act(UpdateProfile(bio: "Hello")) == [])
  }

  // MARK: - Tokens

  @Test(.acrossNodes) func `without a living session nothing is answered`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let gone = try await Person.signUp("gone", on: server)
      #expect(try await gone.client.send(.POST, "/auth/v1/logout").status == 204)
      var target = try VisibilityTarget.unknown(own: UUID())
      target.person = ana.id
      target.username = "ana"
      for client in [RawClient(server), gone.client] {
        for probe in VisibilityProbe.all {
          #expect(try await client.call(probe.call(target)).status == 401, "\(probe.name)")
        }
        for table in ReadableTable.allCases {
          let reply = try await client.send(.GET, "/rest/v1/\(table.rawValue)")
          #expect(reply.status == 401, "\(table)")
        }
      }
    }
  }
}
