import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

/// What was stored before bytes were counted is cut once.
@Suite(.everyEngine) struct StoredTextsTests {
  @Test func `texts that are too long are cut at whole clusters, others stay as they are`()
    async throws
  {
    let world = try await ServerWorld.withFriends(2)
    var call = CreateMission(
      title: "Lanterns", centre: .lisbon, radiusMetres: 50,
      objectives: [ObjectiveInput(title: "Blue door")])
    call.brief = "क्ष्म्य"
    let mission = try await world.create(call)
    let accents = "e" + String(repeating: "\u{301}", count: 10_000)
    let families = String(repeating: "👨‍👩‍👧", count: 40)
    let (me, friend) = (world.members[0].id.wireText, world.members[1].id.wireText)
    try await world.storage.write { database in
      func store(_ table: String, _ column: String, _ text: String, _ id: String) throws {
        try database.execute(
          sql: "UPDATE \(table) SET \(column) = ? WHERE id = ?", arguments: [text, id])
      }
      try store("profiles", "display_name", families, me)
      try store("profiles", "bio", accents, me)
      try store("profiles", "display_name", "\u{3164}", friend)
      try store("missions", "title", accents + accents, mission.id.wireText)
      try database.execute(sql: "UPDATE objectives SET title = ?", arguments: [accents])
      try database.execute(sql: "UPDATE mission_activity SET text = ?", arguments: [accents])
    }

    try await world.storage.write { try StoredTexts.cut(in: $0) }

    let short = "e" + String(repeating: "\u{301}", count: TextLimits.marks)
    let changed = try await world.mission(mission.id, as: 0)
    #expect(changed.title == short + short)
    #expect(changed.brief == "क्ष्म्य")
    #expect(changed.objectives.map(\.title) == [short])
    let rows = try await world.storage.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT username, display_name, display_key, bio FROM profiles ORDER BY username")
    }
    let name: String = try rows[0]["display_name"]
    #expect(name == String(repeating: "👨‍👩‍👧", count: 8))
    #expect(try rows[0]["display_key"] as String == NameKey.folded(name))
    #expect(try rows[0]["bio"] as String == short)
    // Nothing is seen of the name: the username stands for it, and finds it.
    let username: String = try rows[1]["username"]
    #expect(try rows[1]["display_name"] as String == username)
    for (id, name) in [(me, name), (friend, username)] {
      let keys = try await world.storage.read { database in
        try String.fetchAll(
          database, sql: "SELECT name FROM friend_names WHERE friend = ?", arguments: [id])
      }
      #expect(keys == [NameKey.folded(name)])
    }
    let lines = try await world.storage.read { database in
      try String.fetchAll(database, sql: "SELECT text FROM mission_activity")
    }
    #expect(lines == [short])
  }

  @Test func `more rows than are held at once are all cut`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create()
    let (id, accents) = (mission.id.wireText, "e" + String(repeating: "\u{301}", count: 100))
    try await world.storage.write { database in
      for number in 0..<1100 {
        try database.execute(
          sql: """
            INSERT INTO mission_activity (id, mission_id, kind, text, created_at)
            VALUES (?, ?, 'said', ?, ?)
            """, arguments: [UUID().wireText, id, accents, number])
      }
    }

    try await world.storage.write { try StoredTexts.cut(in: $0) }

    let lines = try await world.storage.read { database in
      try String.fetchAll(
        database, sql: "SELECT DISTINCT text FROM mission_activity WHERE kind = 'said'")
    }
    #expect(lines == ["e" + String(repeating: "\u{301}", count: TextLimits.marks)])
  }
}
