import Foundation
import GRDB
import RallyServer
import RallySystem
import RallyWire
import struct RallyStorage.ZOrder

/// Inserts a large number of users directly into a server's database.
struct ScaleDatabase {
  /// A mission with its members.
  struct MissionMembers {
    var id: UUID
    var members: [String]
  }

  static let firstNames = [
    "amelie", "anton", "beatriz", "björn", "carla", "chen", "dmitri", "elena", "farid", "greta",
    "hannah", "ibrahim", "jonas", "katarzyna", "liam", "maria", "nadia", "oskar", "priya", "rosa",
    "samuel", "tomas", "ursula", "viktor", "wanda", "xavier", "yuki", "zoe",
  ]
  private static let lastNames = [
    "andersson", "bauer", "castillo", "dubois", "eriksen", "ferrari", "garcia", "hoffmann",
    "ivanova", "johnson", "kowalski", "lindqvist", "moreau", "nakamura", "okafor", "petrov",
    "quiroga", "rossi", "santos", "tanaka", "ueda", "vargas", "weber", "yilmaz", "zimmermann",
  ]

  let queue: DatabaseQueue
  private let person: String
  private let plan: ScalePlan
  let now = WireTime.now.microseconds

  init(path: String, person: UUID, plan: ScalePlan) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    queue = try DatabaseQueue(path: path, configuration: configuration)
    self.person = person.wireText
    self.plan = plan
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
    }
  }

  /// Inserts the users; some of them are friends of the measured one.
  func fill() throws {
    try queue.inTransaction { database in
      var numbers = SystemRandomNumberGenerator()
      let people = try people(plan.people, in: database, using: &numbers)
      try befriend(people.prefix(plan.friends), in: database)
      return .commit
    }
    try queue.writeWithoutTransaction {
      _ = try $0.checkpoint(.truncate)
    }
  }

  /// Creates sessions for users and puts them into missions, `audience` members each.
  func createMissions() throws -> [MissionMembers] {
    try queue.write { database in
      let people = try String.fetchAll(
        database, sql: "SELECT id FROM profiles WHERE id <> ? ORDER BY id LIMIT ?",
        arguments: [person, plan.sockets])
      for id in people {
        try database.execute(
          sql: """
            INSERT INTO sessions (id, user_id, generation, authenticated_at, created_at)
            VALUES (?, ?, 1, ?, ?)
            """, arguments: [id, id, now, now])
      }
      return try stride(from: 0, to: people.count, by: plan.audience).map { start in
        try insertMission(
          Array(people[start..<min(start + plan.audience, people.count)]), in: database)
      }
    }
  }

  private func insertMission(_ members: [String], in database: Database) throws -> MissionMembers {
    let id = UUID()
    guard let creator = members.first,
      let place = Coordinate(latitude: 48.2, longitude: 16.4)
    else { throw BenchFailure("a mission needs people and a place") }
    let z = ZOrder(place).value
    try database.execute(
      sql: """
        INSERT INTO missions
          (id, creator, title, brief, latitude, longitude, radius_m, starts_at, visibility, state,
           created_at, version, z)
        VALUES (?, ?, 'Room', '', ?, ?, 100, ?, 'private', 'open', ?, 1, ?)
        """,
      arguments: [
        id.wireText, creator, place.latitudeUnits, place.longitudeUnits, now, now, z,
      ])
    for member in members {
      try database.execute(
        sql: """
          INSERT INTO mission_members (mission_id, user_id, state, brought_by, joined_at, z)
          VALUES (?, ?, 'joined', ?, ?, ?)
          """, arguments: [id.wireText, member, creator, now, z])
    }
    return MissionMembers(id: id, members: members)
  }

  private func people(
    _ count: Int, in database: Database, using numbers: inout some RandomNumberGenerator
  ) throws -> [String] {
    let users = try database.makeStatement(
      sql: """
        INSERT INTO users
          (id, identity_id, email, password, metadata, created_at, updated_at, last_sign_in_at)
        VALUES (?, ?, ?, '', '{}', ?, ?, ?)
        """)
    let profiles = try database.makeStatement(
      sql: """
        INSERT INTO profiles (id, username, display_name, display_key, bio, version, created_at)
        VALUES (?, ?, ?, ?, '', 1, ?)
        """)
    return try (0..<count).map { number in
      let first = Self.firstNames.randomElement(using: &numbers) ?? ""
      let last = Self.lastNames.randomElement(using: &numbers) ?? ""
      let username = "\(first.prefix(8).filter(\.isASCII)).\(last.prefix(4)).\(number)"
      let name = "\(first.capitalized) \(last.capitalized)"
      // Folded as the server does.
      let key = name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      let id = UUID().wireText
      try users.execute(arguments: [id, id, "\(username)@bench.example", now, now, now])
      try profiles.execute(arguments: [id, username, name, key, now])
      return id
    }
  }

  private func befriend(_ others: some Sequence<String>, in database: Database) throws {
    let statement = try database.makeStatement(
      sql: """
        INSERT INTO friendships
          (id, smaller, larger, requester, status, created_at, accepted_at, version)
        VALUES (?, ?, ?, ?, 'accepted', ?, ?, 2)
        """)
    let names = try database.makeStatement(
      sql: """
        INSERT INTO friend_names (owner, name, friend)
        SELECT ?, display_key, id FROM profiles WHERE id = ?
        """)
    for other in others {
      try statement.execute(
        arguments: [UUID().wireText, min(person, other), max(person, other), other, now, now])
      try names.execute(arguments: [person, other])
      try names.execute(arguments: [other, person])
    }
  }
}
