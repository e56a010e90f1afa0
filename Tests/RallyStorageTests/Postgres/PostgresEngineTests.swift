import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyStorage

@Suite struct PostgresEngineTests {
  private struct Refused: Error {}

  private static func address() throws -> PostgresAddress {
    try PostgresFixture.shared.get().database()
  }

  private static func storage(connections: Int = 4) async throws -> Storage {
    Storage(try await PostgresEngine(address(), connections: connections))
  }

  private static func makeCounter(in storage: Storage) async throws {
    try await storage.write { database in
      try database.execute(sql: "CREATE TABLE counter (n BIGINT NOT NULL)")
      try database.execute(sql: "INSERT INTO counter VALUES (0)")
    }
  }

  private static func increment(_ database: Database) throws {
    let number = try Int.fetchOne(database, sql: "SELECT n FROM counter") ?? 0
    try database.execute(sql: "UPDATE counter SET n = ?", arguments: [number + 1])
  }

  private static func count(in storage: Storage) async throws -> Int? {
    try await storage.read { try Int.fetchOne($0, sql: "SELECT n FROM counter") }
  }

  // MARK: - Transactions

  @Test func `writes in each other's way are tried again until all are done`() async throws {
    let storage = try await Self.storage(connections: 8)
    try await Self.makeCounter(in: storage)
    let tries = Tally()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<8 {
        tasks.addTask {
          for _ in 0..<10 {
            try await storage.write { database in
              tries.increment()
              try Self.increment(database)
            }
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await Self.count(in: storage) == 80)
    #expect(tries.value > 80)
    try storage.close()
  }

  @Test func `what only looks at the other's row is in its way as well`() async throws {
    let storage = try await Self.storage()
    try await storage.write { database in
      try database.execute(sql: "CREATE TABLE duty (name TEXT NOT NULL, is_on BIGINT NOT NULL)")
      try database.execute(sql: "INSERT INTO duty VALUES ('ana', 1), ('ben', 1)")
    }
    // Each may leave when somebody else stays.
    async let one: Void = Self.leave("ana", storage)
    async let other: Void = Self.leave("ben", storage)
    _ = try await (one, other)
    let left = try await storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM duty WHERE is_on = 1")
    }
    #expect(left == 1)
    try storage.close()
  }

  private static func leave(_ name: String, _ storage: Storage) async throws {
    try await storage.write { database in
      let count =
        try Int.fetchOne(
          database, sql: "SELECT count(*) FROM duty WHERE is_on = 1") ?? 0
      usleep(20_000)
      guard count > 1 else { return }
      try database.execute(
        sql: "UPDATE duty SET is_on = 0 WHERE name = ?", arguments: [name])
    }
  }

  @Test func `a write that throws leaves nothing behind`() async throws {
    let storage = try await Self.storage()
    try await Self.makeCounter(in: storage)
    await #expect(throws: Refused.self) {
      try await storage.write { database in
        try Self.increment(database)
        throw Refused()
      }
    }
    #expect(try await Self.count(in: storage) == 0)
    try storage.close()
  }

  @Test func `work that goes on after a statement failed is not stored`() async throws {
    let storage = try await Self.storage()
    try await Self.makeCounter(in: storage)
    await #expect(throws: StorageFailure.self) {
      try await storage.write { database in
        try Self.increment(database)
        try? database.execute(sql: "SELECT nothing FROM nowhere")
      }
    }
    #expect(try await Self.count(in: storage) == 0)
    try storage.close()
  }

  @Test func `reading cannot write`() async throws {
    let storage = try await Self.storage()
    try await Self.makeCounter(in: storage)
    await #expect(throws: StorageFailure.self) {
      try await storage.read { try Self.increment($0) }
    }
    try storage.close()
  }

  // MARK: - The server

  /// Ends the connection that asks, from the server's side.
  private static func cut(_ database: Database) throws {
    let own = try Int.fetchOne(database, sql: "SELECT pg_backend_pid()") ?? 0
    try PostgresFixture.shared.get().execute("SELECT pg_terminate_backend(\(own), 60000)")
  }

  @Test func `a lost connection is made again, and the write with it`() async throws {
    let storage = try await Self.storage()
    try await Self.makeCounter(in: storage)
    let tries = Tally()
    try await storage.write { database in
      tries.increment()
      if tries.value == 1 { try Self.cut(database) }
      try Self.increment(database)
    }
    #expect(tries.value == 2)
    #expect(try await Self.count(in: storage) == 1)
    try storage.close()
  }

  @Test func `a commit without an answer is not tried again`() async throws {
    let storage = try await Self.storage()
    try await Self.makeCounter(in: storage)
    let tries = Tally()
    let failure = await #expect(throws: StorageFailure.self) {
      try await storage.write { database in
        tries.increment()
        try Self.increment(database)
        try Self.cut(database)
      }
    }
    #expect(failure?.kind == .unreachable)
    #expect(tries.value == 1)
    #expect(try await Self.count(in: storage) == 0)
    try storage.close()
  }

  /// A storage behind a proxy, and the proxy.
  private static func proxied(
    connections: Int = 2, silence: Duration = PostgresConnection.silence
  ) async throws -> (Storage, FaultProxy) {
    let postgres = try PostgresFixture.shared.get()
    let proxy = try await FaultProxy([.unixSocket(postgres.socket)])
    let address = try postgres.address(postgres.database(), through: proxy)
    let engine = try await PostgresEngine(address, connections: connections, silence: silence)
    return (Storage(engine), proxy)
  }

  @Test func `a commit that reached the database and was not answered is not repeated`()
    async throws
  {
    let (storage, proxy) = try await Self.proxied()
    try await Self.makeCounter(in: storage)
    proxy.loseCommit(of: "SERIALIZABLE")
    let failure = await #expect(throws: StorageFailure.self) {
      try await storage.write(Self.increment)
    }
    #expect(failure?.kind == .unreachable)
    #expect(proxy.lostCommits == 1)
    #expect(try await Self.count(in: storage) == 1)
    try storage.close()
  }

  @Test func `a read whose end was not answered is made again`() async throws {
    let (storage, proxy) = try await Self.proxied()
    try await Self.makeCounter(in: storage)
    proxy.loseCommit(of: "READ ONLY")
    #expect(try await Self.count(in: storage) == 0)
    #expect(proxy.lostCommits == 1)
    try storage.close()
  }

  @Test func `a database that takes bytes and says nothing is lost, and found when it speaks`()
    async throws
  {
    let (storage, proxy) = try await Self.proxied(silence: .seconds(1))
    try await Self.makeCounter(in: storage)
    proxy.begin(.silence)
    async let read = await Result { try await Self.count(in: storage) }
    async let written = await Result { try await storage.write(Self.increment) }
    for failure in [await read.failure, await written.failure] {
      #expect((failure as? StorageFailure)?.kind == .unreachable)
    }
    proxy.heal()
    try await storage.write(Self.increment)
    #expect(try await Self.count(in: storage) == 1)
    try storage.close()
  }

  @Test func `in an outage that lasts a job fails at its first attempt, and then all is well`()
    async throws
  {
    let (storage, proxy) = try await Self.proxied(connections: 8)
    try await Self.makeCounter(in: storage)
    // All connections are open.
    let reads = Tally()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<8 {
        tasks.addTask {
          try await storage.read { _ in
            reads.increment()
            while reads.value < 8 { usleep(1000) }
          }
        }
      }
      try await tasks.waitForAll()
    }
    proxy.begin(.away)
    func fail() async {
      let failure = await #expect(throws: StorageFailure.self) { try await Self.count(in: storage) }
      #expect(failure?.kind == .unreachable)
    }
    await fail()
    let bridging = proxy.refusals
    #expect(bridging > 2)
    proxy.heal()
    // Most connections are lost, and nobody has noticed.
    #expect(try await Self.count(in: storage) == 0)

    proxy.begin(.away)
    await fail()
    let before = proxy.refusals
    for _ in 0..<10 { await fail() }
    // The listener connects as well, each second.
    #expect(proxy.refusals - before < 10 * 2)
    proxy.heal()
    #expect(try await Self.count(in: storage) == 0)
    try storage.close()
  }

  @Test func `servers that start at once migrate once`() async throws {
    let address = try Self.address()
    let storages = try await withThrowingTaskGroup(of: Storage.self) { tasks in
      for _ in 0..<5 {
        tasks.addTask { Storage(try await PostgresEngine(address, connections: 1)) }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
    let steps = try await storages[0].read {
      try String.fetchAll($0, sql: "SELECT name FROM migrations ORDER BY at, name")
    }
    #expect(Set(steps) == Set(Migrations.migrator.steps.map(\.name)))
    for storage in storages { try storage.close() }
  }

  @Test func `a database of a newer Rally is left alone`() async throws {
    let address = try Self.address()
    let storage = Storage(try await PostgresEngine(address, connections: 1))
    try await storage.write { database in
      try database.execute(
        sql: "INSERT INTO migrations (name, at) VALUES (?, ?)", arguments: ["of tomorrow", 1])
    }
    try storage.close()
    let failure = await #expect(throws: StorageFailure.self) {
      _ = try await PostgresEngine(address, connections: 1)
    }
    #expect(failure?.message.contains("newer Rally") == true)
  }

  @Test func `a commit of one server is heard by another`() async throws {
    let address = try Self.address()
    let one = Storage(try await PostgresEngine(address, connections: 1))
    let other = Storage(try await PostgresEngine(address, connections: 1))
    try await Self.makeCounter(in: one)
    let (news, isNew) = AsyncStream.makeStream(of: Void.self)
    other.onChange { isNew.yield() }
    try await one.write(Self.increment)
    for await _ in news { break }
    try one.close()
    try other.close()
  }

  @Test func `an address where nobody is says so, without the password`() async throws {
    let address = try PostgresAddress(
      "postgres://ana:secret@%2Ftmp%2Fnowhere-\(UUID().uuidString)/rally")
    let failure = await #expect(throws: StorageFailure.self) {
      _ = try await PostgresEngine(address, connections: 1)
    }
    #expect(failure?.kind == .unreachable)
    #expect(failure?.message.contains("cannot be reached") == true)
    #expect(failure?.message.contains("secret") == false)
  }

  @Test func `a database that comes later is waited for`() async throws {
    let fixture = try PostgresFixture.shared.get()
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let parts = fixture.socket.split(separator: "/")
    let here = "%2F" + parts.dropLast().joined(separator: "%2F")
    let name = String(parts.last ?? "")
    let later = try PostgresAddress(
      try fixture.database().description.replacingOccurrences(
        of: here, with: folder.path.replacingOccurrences(of: "/", with: "%2F")))
    let engine = try await PostgresEngine(later, connections: 1, waiting: .seconds(300)) { _ in
      symlink(fixture.socket, folder.file(name))
    }
    try engine.close()
  }

  @Test func `a database that refuses the account is not waited for`() async throws {
    let address = try PostgresFixture.shared.get().database()
    let stranger = try PostgresAddress(
      address.description.replacingOccurrences(of: "rally@", with: "nobody_here@"))
    await #expect(throws: StorageFailure.self) {
      _ = try await PostgresEngine(stranger, connections: 1, waiting: .seconds(300)) { error in
        Issue.record("waits: \(error)")
      }
    }
  }

  @Test func `an address that cannot be read is not quoted`() async throws {
    for text in ["postgres://ana:se%zzcret@host/rally", "postgres://ana:secret@host:x%/rally"] {
      let failure = await #expect(throws: StorageFailure.self) {
        _ = try await PostgresEngine(PostgresAddress(text), connections: 1)
      }
      #expect(failure?.message.contains("cret") == false, "\(String(describing: failure))")
    }
  }
}

private final class Tally: Sendable {
  private let count = Mutex(0)

  func increment() { count.withLock { $0 += 1 } }
  var value: Int { count.withLock { $0 } }
}

extension Result where Failure == any Error {
  fileprivate init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }

  fileprivate var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
