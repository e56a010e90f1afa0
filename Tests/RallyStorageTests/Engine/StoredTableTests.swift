import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

@Suite(.everyEngine) struct StoredTableTests {
  private enum Column: Int, TableColumn {
    case id, radiusM, startsAt, count, ownerID
  }

  private static let table = StoredTable<Column>(
    "things", as: "t", key: [.id], unread: 1, counter: .count)

  private static func values(radius: Double?, at time: WireTime) -> StoredTable<Column>.Values {
    { column in
      switch column {
      case .id: "a"
      case .radiusM: radius
      case .startsAt: time
      case .count: 1
      case .ownerID: "k"
      }
    }
  }

  private static func text(in storage: Storage) async throws -> [String] {
    try await storage.read { database in
      try table.rows(where: "t.count > ? ORDER BY t.id", [0], in: database).map { row in
        let radius: Double? = try row[Column.radiusM]
        let time: WireTime = try row[Column.startsAt]
        return "\(try row[Column.id] as String) \(radius ?? -1) \(time.microseconds)"
          + " \(try row[Column.count] as Int)"
      }
    }
  }

  private static func storage() async throws -> Storage {
    let storage = try await Storage.forTest()
    try await storage.write { database in
      try database.execute(
        sql: """
          CREATE TABLE things (
            id TEXT NOT NULL PRIMARY KEY, owner_id TEXT NOT NULL, count BIGINT NOT NULL,
            starts_at BIGINT NOT NULL, radius_m DOUBLE PRECISION)
          """)
    }
    return storage
  }

  @Test func `columns are named once, and each is read as it was written`() async throws {
    #expect(Self.table.columns == "t.id, t.radius_m, t.starts_at, t.count")
    let storage = try await Self.storage()
    let (early, late) = (WireTime(microseconds: 7), WireTime(microseconds: 8))
    try await storage.write {
      try Self.table.insert(into: $0, Self.values(radius: nil, at: early))
    }
    #expect(try await Self.text(in: storage) == ["a -1.0 7 1"])
    try await storage.write { try Self.table.update(in: $0, Self.values(radius: 2, at: late)) }
    #expect(try await Self.text(in: storage) == ["a 2.0 8 1"])
    try await storage.write { try Self.table.upsert(into: $0, Self.values(radius: 3, at: early)) }
    #expect(try await Self.text(in: storage) == ["a 3.0 7 2"])
    let none = try await storage.read { try Self.table.row(where: "t.id = ?", ["b"], in: $0) }
    #expect(none == nil)
    let owner = try await storage.read {
      try String.fetchOne($0, sql: "SELECT owner_id FROM things")
    }
    #expect(owner == "k")
  }

  @Test func `a column of another type, or none, is an error and no crash`() async throws {
    let storage = try await Storage.forTest()
    let row = try #require(
      try await storage.read {
        try Row.fetchOne($0, sql: "SELECT 'x' AS name, NULL AS absent, 'x' AS mode")
      })
    #expect(try row["name"] as String == "x")
    #expect(try row["absent"] as String? == nil)
    #expect(throws: StorageFailure.self) { try row["absent"] as String }
    #expect(throws: StorageFailure.self) { try row["name"] as Int }
    #expect(throws: StorageFailure.self) { try row["mode"] as SharingMode }
    #expect(throws: StorageFailure.self) { try row["missing"] as String }
  }
}
