import Foundation
import RallyTestSupport
import Testing

@testable import RallyStorage

/// What a move does not begin, and who does not begin during a move.
@Suite struct MoveRefusalTests {
  private func expect(
    _ failure: DatabaseMove.Failure, _ from: DatabaseMove.Place, _ target: DatabaseMove.Place
  ) {
    #expect(throws: failure) { _ = try DatabaseMove(from: from, to: target) }
  }

  @Test func `a server on the folder or on the database`() async throws {
    let world = try await MovingWorld(people: 2)
    let lock = try DataFolderLock(folder: world.folder.file("server"))
    #expect(throws: DataFolderLock.Failure.self) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
    lock.release()
    let engine = try await PostgresEngine(world.address)
    let failure = #expect(throws: DatabaseMove.Failure.self) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
    guard case .inUse(let address, let connections) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(address == "\(world.address)")
    #expect((1...2).contains(connections))
    try engine.close()
    _ = try world.move(world.source, to: world.postgres)
  }

  @Test func `no server begins on either side of a move`() async throws {
    let world = try await MovingWorld(people: 2)
    let move = try DatabaseMove(from: world.source, to: world.postgres)
    #expect(throws: DataFolderLock.Failure.self) {
      _ = try DataFolderLock(folder: world.folder.file("server"))
    }
    let failure = await #expect(throws: StorageFailure.self) {
      _ = try await PostgresEngine(world.address)
    }
    #expect(failure?.kind == .unreachable)
    #expect(failure?.message.contains("rally serve move") == true)
    _ = try move.run { _ in }
    try move.close()
    try await PostgresEngine(world.address).close()
  }

  @Test func `a place where accounts or a part of another server are`() async throws {
    let world = try await MovingWorld(people: 2)
    try world.move(world.source, to: world.postgres)
    expect(.occupied("\(world.postgres)"), world.source, world.postgres)
    try world.move(world.postgres, to: world.back)
    expect(.occupied("\(world.back)"), world.postgres, world.back)

    var other = try await MovingWorld(people: 2)
    struct Ended: Error {}
    #expect(throws: Ended.self) {
      try other.move(other.source, to: other.postgres) { _ in throw Ended() }
    }
    let half = other.address
    other = try await MovingWorld(people: 2)
    other.address = half
    expect(.otherMove("\(half)"), other.source, other.postgres)
  }

  @Test func `keys that cannot be read, or would be lost`() async throws {
    let world = try await MovingWorld(people: 2)
    // Another server's folder for the keys.
    _ = try DataFolder(path: world.folder.file("node")).keys()
    expect(.otherKeys(world.folder.file("node")), world.source, world.postgres)
    try world.move(world.source, to: world.vault)
    expect(.encryptedKeys, world.postgres, world.back)
    unlink(world.folder.file("key"))
    #expect(throws: KeyVaultFailure.missing(world.folder.file("key"))) {
      _ = try DatabaseMove(from: world.vault, to: world.back)
    }
    unlink(world.folder.file("server/server.json"))
    #expect(throws: DataFolderFailure.missingKeys(path: world.folder.file("server/server.json"))) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
  }

  @Test func `another version on either side`() async throws {
    let world = try await MovingWorld(people: 2)
    try await PostgresEngine(world.address).close()
    let schema = try #require(world.address.description.firstMatch(of: /test_[0-9]+/)?.output)
    try PostgresFixture.shared.get().execute(
      "INSERT INTO \(schema).migrations (name, at) VALUES ('of tomorrow', 0)")
    let newer = #expect(throws: StorageFailure.self) {
      try world.move(world.source, to: world.postgres)
    }
    #expect(newer?.message.contains("newer Rally") == true)
    let path = world.folder.file("server/rally.db")
    try world.change("INSERT INTO grdb_migrations VALUES ('of tomorrow')")
    #expect(throws: ExistingDatabase.Failure.newer(path)) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
    try world.change(
      "DELETE FROM grdb_migrations WHERE identifier IN ('of tomorrow', 'live missions')")
    #expect(throws: ExistingDatabase.Failure.older(path)) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
    unlink(path)
    #expect(throws: ExistingDatabase.Failure.missing(path)) {
      _ = try DatabaseMove(from: world.source, to: world.postgres)
    }
  }
}
