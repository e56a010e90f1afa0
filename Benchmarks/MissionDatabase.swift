import Foundation
import GRDB
import RallyServer
import RallyWire
import struct RallyStorage.ZOrder

/// Inserts rows directly into a server's database in a few transactions; creating a million
/// missions over HTTP would take hours.
struct MissionDatabase {
  /// The number of rows, from the view of one measured user.
  struct Plan {
    var friends = 200
    /// Missions of each friend, visible to friends.
    var missionsOfEachFriend = 5
    var strangers = 1000
    /// Missions of all strangers together, visible to their friends.
    var missions = 1_000_000
    var lines = 100_000
    /// The number of the measured user's missions that the lines are spread over.
    var talkedAbout = 50
  }

  /// The centre of all missions, which are within some 40 km of it.
  static let centre = Coordinate(latitude: 48.2, longitude: 16.4)

  private let queue: DatabaseQueue
  private let person: String
  private let plan: Plan
  private let now = WireTime.now.microseconds

  init(path: String, person: UUID, plan: Plan) throws {
    var configuration = Configuration()
    // A server may be writing to it.
    configuration.busyMode = .timeout(60)
    queue = try DatabaseQueue(path: path, configuration: configuration)
    self.person = person.wireText
    self.plan = plan
    try queue.writeWithoutTransaction { database in
      // Durability is not needed; a cache of 500 MB holds the indexes.
      try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000")
    }
  }

  /// Inserts users, friendships, missions and activity.
  func fill() throws {
    var numbers = SystemRandomNumberGenerator()
    try queue.inTransaction { database in
      let friends = try people(plan.friends, named: "friend", in: database)
      let strangers = try people(plan.strangers, named: "stranger", in: database)
      try befriend(friends, in: database)
      for friend in friends {
        try missions(plan.missionsOfEachFriend, by: [friend], using: &numbers, in: database)
      }
      try missions(plan.missions, by: strangers, using: &numbers, in: database)
      let own = try missions(plan.talkedAbout, by: [person], using: &numbers, in: database)
      try lines(plan.lines, in: own, by: friends, database)
      return .commit
    }
    _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  /// Makes all strangers friends of the measured user, so that all missions are visible.
  func befriendEverybody() throws {
    try queue.write { database in
      let others = try String.fetchAll(
        database, sql: "SELECT id FROM profiles WHERE username LIKE 'stranger%'")
      try befriend(others, in: database)
    }
  }

  // MARK: - Rows

  private func people(
    _ count: Int, named name: String, in database: Database
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
      let (id, username) = (UUID().wireText, "\(name)\(number)")
      try users.execute(
        arguments: [id, id, "\(username)@bench.example", now, now, now])
      try profiles.execute(arguments: [id, username, username, username, now])
      return id
    }
  }

  private func befriend(_ others: [String], in database: Database) throws {
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
        arguments: [
          UUID().wireText, min(person, other), max(person, other), other, now, now,
        ])
      for (owner, friend) in [(person, other), (other, person)] {
        try names.execute(arguments: [owner, friend])
      }
    }
  }

  @discardableResult
  private func missions(
    _ count: Int, by creators: [String], using numbers: inout some RandomNumberGenerator,
    in database: Database
  ) throws -> [String] {
    let missions = try database.makeStatement(
      sql: """
        INSERT INTO missions
          (id, creator, title, brief, latitude, longitude, radius_m, starts_at, visibility, state,
           created_at, version, z)
        VALUES (?, ?, ?, '', ?, ?, 100, ?, 'friends', 'open', ?, 1, ?)
        """)
    let members = try database.makeStatement(
      sql: """
        INSERT INTO mission_members (mission_id, user_id, state, brought_by, joined_at, z)
        VALUES (?, ?, 'joined', ?, ?, ?)
        """)
    let middle = Self.centre
    return try (0..<count).map { number in
      let id = UUID().wireText
      let creator = creators[number % creators.count]
      let place = Coordinate(
        latitude: (middle?.latitude ?? 0) + Double.random(in: -0.35...0.35, using: &numbers),
        longitude: (middle?.longitude ?? 0) + Double.random(in: -0.5...0.5, using: &numbers))
      guard let place else { throw BenchFailure("no such place") }
      let z = ZOrder(place).value
      try missions.execute(
        arguments: [
          id, creator, "Mission \(number)", place.latitudeUnits, place.longitudeUnits, now, now, z,
        ])
      try members.execute(arguments: [id, creator, creator, now, z])
      return id
    }
  }

  private func lines(
    _ count: Int, in missions: [String], by people: [String], _ database: Database
  ) throws {
    let statement = try database.makeStatement(
      sql: """
        INSERT INTO mission_activity (id, mission_id, kind, user_id, text, created_at)
        VALUES (?, ?, 'said', ?, 'On my way', ?)
        """)
    for number in 0..<count {
      try statement.execute(
        arguments: [
          UUID().wireText, missions[number % missions.count], people[number % people.count],
          now - Int64(count - number) * 1_000_000,
        ])
    }
  }
}
