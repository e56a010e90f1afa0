import RallyTestSupport
import Testing

@testable import RallyStorage

@Suite struct MovedTableTests {
  /// Tables of the engines themselves and of their migrations.
  private static let ofEngines: Set<String> = ["grdb_migrations", "migrations", "sqlite_sequence"]

  private func withStorages(_ body: (Storage) async throws -> Void) async throws {
    for engine in [TestEngine.sqlite, .postgres] {
      try await TestEngine.$current.withValue(engine) {
        let storage = try await Storage.forTest()
        try await body(storage)
        try storage.close()
      }
    }
  }

  @Test func `every table moves or is known to be filled by each database itself`() async throws {
    let moved = Set(try MovedTable.all().map(\.name))
    try await withStorages { storage in
      let (engine, tables) = try await storage.read { ($0.engine, Set(try $0.tables())) }
      // The index of names and its shadows.
      let real = tables.filter { !$0.hasPrefix("people_letters") }.subtracting(Self.ofEngines)
      let others = engine == .sqlite ? MovedTable.derived : MovedTable.ofCluster.union(["changes"])
      #expect(real == moved.union(others))
    }
  }

  @Test func `the tables of PostgreSQL have the same columns, and none counts by itself`()
    async throws
  {
    let tables = try MovedTable.all()
    try await withStorages { storage in
      try await storage.read { database in
        guard database.engine == .postgres else { return }
        for table in tables {
          let found = try String.fetchSet(
            database,
            sql: """
              SELECT CAST(column_name AS text) FROM information_schema.columns
              WHERE table_schema = current_schema() AND table_name = ?
              """, arguments: [table.name])
          #expect(found == Set(table.columns), "\(table.name)")
          #expect(Set(table.key).isSubset(of: found), "\(table.name)")
        }
        // A sequence would have to go on after the largest number.
        let counting = try String.fetchSet(
          database,
          sql: """
            SELECT CAST(table_name AS text) FROM information_schema.columns
            WHERE table_schema = current_schema()
              AND (is_identity = 'YES' OR column_default LIKE 'nextval%')
            """)
        #expect(counting == ["changes", "relays"])
      }
    }
  }

  @Test func `tables come after those that they refer to`() throws {
    let tables = try MovedTable.all()
    var seen: Set<String> = []
    for table in tables {
      #expect(seen.isSuperset(of: table.references.map(\.parent)), "\(table.name)")
      seen.insert(table.name)
    }
    #expect(seen.count == tables.count)
  }

  @Test func `values are the same only with the same bytes`() {
    let (composed, decomposed) = (SQLValue.text("é"), SQLValue.text("e\u{301}"))
    #expect(composed == decomposed)
    #expect(ExactValues([composed]) != ExactValues([decomposed]))
    #expect(ExactValues([composed, .null]) == ExactValues([composed, .null]))
    #expect(Set([ExactValues([composed]), ExactValues([decomposed])]).count == 2)
    #expect(ExactValues([.integer(1)]) != ExactValues([.real(1)]))
  }
}
