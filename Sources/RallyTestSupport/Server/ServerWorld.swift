import Foundation
import Logging
import RallyGate
import RallyRules
import RallyServer
import RallyStorage
import RallyText
import RallyWire
import Synchronization

/// The server's rules, feed and sockets with a clock that is moved by hand. After `turn` everything
/// that is due has been sent. The same calls at the same times give the same bytes.
package final class ServerWorld: Sendable {
  package struct Member: Sendable {
    package let id: UUID
    package let caller: Caller
    package let token: String
    package let outbox: SocketOutbox
  }

  package let storage: Storage
  package let members: [Member]
  package let moves: CellMoves
  private let hub: RealtimeHub
  private let feed: ChangeFeedReader
  private let functions: FunctionTable
  private let clock: Clock
  private let keys: KeyRing

  /// A time that tests set.
  private final class Clock: Sendable {
    let time: Mutex<WireTime>
    init(_ time: WireTime) { self.time = Mutex(time) }
  }

  /// - Parameters:
  ///   - tables: What each member listens to.
  ///   - filters: Of bindings that each member listens with, beside one without.
  ///   - moveDelay: When moves between cells are announced.
  ///   - path: The database file; nil takes an empty database of this test's engine.
  ///   - monitor: Sees every statement.
  package init(
    members count: Int, at time: WireTime, tables: [String] = ["locations"],
    filters: [String] = [], moveDelay: MoveDelay = .none, path: String? = nil,
    monitor: StatementMonitor? = nil
  ) async throws {
    let clock = Clock(time)
    self.clock = clock
    let now: @Sendable () -> WireTime = { clock.time.withLock { $0 } }
    storage =
      if let path {
        try Storage(path: path)
      } else {
        try await Storage.forTest(monitor: monitor)
      }
    let keys = try ServerKeys()
    let keyRing = KeyRing(keys)
    self.keys = keyRing
    let signer = TokenSigner(keys: keyRing)
    let presentUsers = PresentUsers()
    moves = CellMoves(delay: moveDelay, marks: CellMarks(keys: keyRing))
    functions = FunctionTable(presence: presentUsers, moves: moves, isSecure: true, now: now)
    hub = RealtimeHub(
      gateway: Gateway(apiKey: keys.apiKey, signer: signer), presentUsers: presentUsers,
      budgets: BudgetKeeper(), wake: {})
    feed = ChangeFeedReader(
      storage: storage, hub: hub, logger: Logger(label: "rally.test"), now: now, wake: {})
    members = try (0..<count).map { try ServerWorld.member($0, signer: signer) }
    try await storage.write { [members] database in
      for (index, member) in members.enumerated() {
        try ServerWorld.insert(member, named: "person_\(index)", at: time, in: database)
      }
    }
    for member in members { await listen(member, tables: tables, filters: filters) }
    try await turn()
    for index in members.indices { _ = await frames(for: index) }
  }

  // MARK: - Time

  package var now: WireTime {
    get { clock.time.withLock { $0 } }
    set { clock.time.withLock { $0 = newValue } }
  }

  /// Lets the feed do what is due, and say what is to be said.
  package func turn() async throws {
    // On PostgreSQL, transactions of other tests on the same server hold the feed up for a moment;
    // the second turn is for what the first one wrote itself: shares that ended.
    for _ in 0..<2 {
      try await storage.feedCatchesUp()
      try await feed.turn()
    }
  }

  /// A turn of another server that starts on the same database.
  package func turnOfAnotherServer() async throws {
    let hub = RealtimeHub(
      gateway: Gateway(apiKey: "", signer: TokenSigner(keys: keys)), presentUsers: PresentUsers(),
      budgets: BudgetKeeper(), wake: {})
    let feed = ChangeFeedReader(
      storage: storage, hub: hub, logger: Logger(label: "rally.test"),
      now: { [clock] in clock.time.withLock { $0 } }, wake: {})
    try await feed.start()
    try await feed.turn()
  }

  // MARK: - Asking and hearing

  /// The very bytes of an answer or of a refusal.
  @discardableResult
  package func call<F: RemoteFunction>(
    _ function: F, clientID: UUID? = nil, as member: Int
  ) async throws -> String {
    try await call(FunctionCall(function, clientID: clientID), as: member)
  }

  @discardableResult
  package func call<F>(_ call: FunctionCall<F>, as member: Int) async throws -> String {
    guard let entry = functions[F.name] else { return "no function \(F.name)" }
    do {
      let answer = try await entry.call(
        WireJSON.encode(call), members[member].caller, storage)
      return answer.map { String(decoding: JSONWriter.bytes(of: $0), as: UTF8.self) } ?? ""
    } catch let failure as FunctionFailure {
      return try WireJSON.text(failure)
    }
  }

  package func result<F: RemoteFunction>(
    of function: F, clientID: UUID? = nil, as member: Int
  ) async throws -> F.Output {
    try await result(of: FunctionCall(function, clientID: clientID), as: member)
  }

  package func result<F>(of call: FunctionCall<F>, as member: Int) async throws -> F.Output {
    try await WireJSON.decode(F.Output.self, from: Data(self.call(call, as: member).utf8))
  }

  /// The machine word of a refusal; nil when the call succeeded.
  package func refusal<F: RemoteFunction>(
    of function: F, clientID: UUID? = nil, as member: Int
  ) async throws -> String? {
    try await refusal(of: FunctionCall(function, clientID: clientID), as: member)
  }

  package func refusal<F>(of call: FunctionCall<F>, as member: Int) async throws -> String? {
    let failure = try? await WireJSON.decode(
      FunctionFailure.self, from: Data(self.call(call, as: member).utf8))
    return failure.map { $0.hint ?? $0.code }
  }

  /// Every row of a readable table that a member may see.
  package func rows(of table: ReadableTable, as member: Int) async throws -> [JSONRow] {
    let (caller, now) = (members[member].caller, now)
    return try await storage.read { database in
      try TableReader(now: { now }).rows(
        of: table, for: .none, reach: .max - 1, caller: caller, in: database)
    }
  }

  /// Joins with one more socket, whose frames come with the others.
  package func listen(
    _ member: Int, to tables: [String] = [], filters: [String] = [], embed: Bool? = nil
  ) async {
    await listen(members[member], tables: tables, filters: filters, embed: embed)
  }

  /// Every frame that was sent to a member since the last call.
  package func frames(for member: Int) async -> [String] {
    members[member].outbox.takeAll().compactMap { item in
      if case .text(let text) = item { text } else { nil }
    }
  }

  package func stored(of member: Int) async throws -> StoredLocation? {
    let id = members[member].caller.userID
    return try await storage.read { try LocationRecords.find(id, in: $0) }
  }

  // MARK: - People

  package func befriend(_ a: Int, _ b: Int) async throws {
    try await call(RequestFriend(userID: members[b].id), as: a)
    try await call(RespondToFriendRequest(userID: members[a].id, accept: true), as: b)
  }

  /// - Parameter friend: nil for the default.
  package func share(
    _ mode: SharingMode, of owner: Int, with friend: Int? = nil, until: WireTime? = nil
  ) async throws {
    try await call(
      SetLocationSharing(userID: friend.map { members[$0].id }, mode: mode, until: until),
      as: owner)
  }

  // MARK: - Building

  private static func member(_ index: Int, signer: TokenSigner) throws -> Member {
    let id = UUID(uuidString: "\(10_000_000 + index)-0000-4000-8000-000000000000") ?? UUID()
    let claims = AccessClaims(
      subject: id.wireText, expiresAt: WireTime.now.microseconds / 1_000_000 + 86_400,
      role: AccessClaims.authenticatedRole, sessionID: id.wireText)
    guard let caller = Caller(claims) else { throw CancellationError() }
    return Member(
      id: id, caller: caller, token: try signer.sign(claims),
      outbox: SocketOutbox(serializer: .v1) {})
  }

  private static func insert(
    _ member: Member, named name: String, at time: WireTime, in database: Database
  ) throws {
    try UserRecords.insert(
      UserRecord(
        id: member.id, identityID: member.id, email: "\(name)@example.org", password: "",
        metadata: [:], createdAt: time, updatedAt: time, lastSignInAt: time),
      in: database)
    try ProfileRecords.insert(
      ProfileRecord(
        id: member.id, username: name, displayName: name, bio: "", version: 1, createdAt: time),
      in: database)
    try SessionRecords.insert(
      SessionRecord(
        id: member.id, userID: member.caller.userID, generation: 1, authenticatedAt: time),
      in: database)
  }

  private func listen(
    _ member: Member, tables: [String], filters: [String], embed: Bool? = nil
  ) async {
    let socket = await hub.connect(member.outbox)
    let bindings = tables.flatMap { table in
      ([nil] + filters.map(Optional.some)).map { filter -> JSONValue in
        var binding: [String: JSONValue] = [
          "event": "*", "schema": "public", "table": .string(table),
        ]
        if let filter { binding["filter"] = .string(filter) }
        if let embed { binding["embed"] = .bool(embed) }
        return .object(binding)
      }
    }
    await hub.receive(
      RealtimeMessage(
        topic: "realtime:test", event: .join,
        payload: [
          "access_token": .string(member.token),
          "config": ["postgres_changes": .array(bindings)],
        ], ref: "1"),
      from: socket)
  }
}
