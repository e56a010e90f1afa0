import Foundation
import RallyRules
import RallyServer
import RallyStorage
import RallyTestSupport
import RallyWire

/// Servers on one PostgreSQL database of their own, whose commits wait for the disk.
///
/// People are in groups whose members are friends of each other, are in one mission and show each
/// other precisely where they are.
final class BenchmarkCluster {
  struct Node {
    var process: RunningCommand
    var port: UInt16
  }

  let folder: TemporaryFolder
  let postgres: PostgresFixture
  let nodes: [Node]
  let key: String
  let groups: [ClusterGroup]
  private let mint: TokenMint

  /// - Parameters:
  ///   - count: Of servers.
  ///   - people: A multiple of `ClusterGroup.size`.
  /// - Throws: `PostgresFixture.Failure`, `ProcessFailure` or `BenchFailure` if something does not
  ///   start.
  init(of count: Int, people: Int) async throws {
    let folder = try TemporaryFolder()
    postgres = try PostgresFixture(isDurable: true)
    let address = try postgres.database()
    self.folder = folder
    var nodes: [Node] = []
    var key = ""
    for number in 0..<count {
      let data = folder.file("\(number)")
      if number > 0 {
        // Servers without a common encryption key share the first one's keys by a copy.
        try FileManager.default.createDirectory(
          atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
          atPath: folder.file("0/server.json"), toPath: data + "/server.json")
      }
      let process = try RunningCommand(
        RallyBinary.required(),
        [
          "serve", "--database", address.description, "--data", data, "--host", "127.0.0.1",
          "--port", "0", "--json", "--no-limits",
        ], environment: folder.environment)
      let announcement = try WireJSON.decode(
        ServerAnnouncement.self, from: Data(try await process.firstLine().utf8))
      key = announcement.key
      nodes.append(Node(process: process, port: try announcement.port))
    }
    self.nodes = nodes
    self.key = key
    mint = try TokenMint(file: folder.file("0/server.json"))
    groups = (0..<people / ClusterGroup.size).map(ClusterGroup.init)
    // The first database of a PostgreSQL server of its own.
    try postgres.execute("SET search_path = test_1; \(ClusterGroup.filling(groups.count))")
  }

  deinit { for node in nodes { node.process.signal(SIGTERM) } }

  func token(of person: String) throws -> String { try mint.token(for: person) }

  /// A connection to a server as somebody.
  func connection(as person: String, to node: Int = 0) throws -> HTTPConnection {
    let connection = try HTTPConnection(port: nodes[node].port, key: key)
    connection.token = try token(of: person)
    return connection
  }

  /// A socket for everybody; the members of a group are on all servers in turns.
  func openSockets(_ feed: LoadFeed) async throws -> RunningCommand {
    let sockets = try groups.flatMap(\.members).enumerated().map { number, person in
      (port: nodes[number % nodes.count].port, token: try token(of: person))
    }
    return try await SocketLoad.start(sockets: sockets, feed: feed, key: key, in: folder)
  }

  /// What the servers and PostgreSQL used so far.
  var figures: ClusterFigures { ClusterFigures(of: self) }
}

/// What the processes of a cluster used since their start.
struct ClusterFigures {
  /// Processor time of all servers.
  var servers = Duration.zero
  /// Processor time of PostgreSQL's processes that live.
  var postgres = Duration.zero
  /// Resident memory of all servers in MiB.
  var memory = 0.0

  fileprivate init(of cluster: BenchmarkCluster) {
    for node in cluster.nodes {
      guard let figures = ProcessFigures(of: node.process.processID) else { continue }
      servers += figures.processor
      memory += figures.residentMegabytes
    }
    guard let parent = cluster.postgres.processID else { return }
    for process in [parent] + ProcessFigures.children(of: parent) {
      postgres += ProcessFigures(of: process)?.processor ?? .zero
    }
  }
}

/// People who are friends of each other and in one mission.
struct ClusterGroup {
  static let size = 20

  let number: Int

  var mission: UUID { UUID(uuidString: Self.id(9, number)) ?? UUID() }
  var members: [String] { (0..<Self.size).map { Self.id(1, number * Self.size + $0) } }

  private static func id(_ kind: Int, _ number: Int) -> String {
    "\(kind)0000000-0000-4000-8000-" + String(format: "%012x", number)
  }

  /// SQL that makes this many groups; a session has its person's id, as `TokenMint` expects.
  fileprivate static func filling(_ count: Int) throws -> String {
    guard let place = Coordinate(latitude: 48.2, longitude: 16.4) else {
      throw BenchFailure("a mission needs a place")
    }
    let z = ZOrder(place).value
    func id(_ kind: Int, _ number: String) -> String {
      "'\(kind)0000000-0000-4000-8000-' || lpad(to_hex(\(number)), 12, '0')"
    }
    let now = WireTime.now.microseconds
    let people = "generate_series(0, \(count * size - 1)) n"
    let pairs =
      "generate_series(0, \(count - 1)) g, generate_series(0, \(size - 1)) a, "
      + "generate_series(0, \(size - 1)) b"
    let (a, b) = (id(1, "g * \(size) + a"), id(1, "g * \(size) + b"))
    return """
      INSERT INTO users
        (id, identity_id, email, password, metadata, created_at, updated_at, last_sign_in_at)
        SELECT \(id(1, "n")), \(id(1, "n")), 'p' || n || '@bench.example', '', '{}', \(now), \(now),
          \(now) FROM \(people);
      INSERT INTO profiles (id, username, display_name, display_key, bio, version, created_at)
        SELECT \(id(1, "n")), 'p' || n, 'Person ' || n, 'person ' || n, '', 1, \(now) FROM \(people);
      INSERT INTO sessions (id, user_id, generation, authenticated_at, created_at)
        SELECT \(id(1, "n")), \(id(1, "n")), 1, \(now), \(now) FROM \(people);
      INSERT INTO location_sharing (owner, friend, mode)
        SELECT \(id(1, "n")), \(id(1, "n")), 'precise' FROM \(people);
      INSERT INTO friendships
        (id, smaller, larger, requester, status, created_at, accepted_at, version)
        SELECT gen_random_uuid(), \(a), \(b), \(a), 'accepted', \(now), \(now), 2
        FROM \(pairs) WHERE a < b;
      INSERT INTO friend_names (owner, name, friend)
        SELECT \(a), 'person ' || g * \(size) + b, \(b) FROM \(pairs) WHERE a <> b;
      INSERT INTO missions
        (id, creator, title, brief, latitude, longitude, radius_m, starts_at, visibility, state,
         created_at, version, z)
        SELECT \(id(9, "g")), \(id(1, "g * \(size)")), 'Room', '', \(place.latitudeUnits),
          \(place.longitudeUnits), 100, \(now), 'private', 'open', \(now), 1, \(z) FROM generate_series(0, \(count - 1)) g;
      INSERT INTO mission_members (mission_id, user_id, state, brought_by, joined_at, z)
        SELECT \(id(9, "n / \(size)")), \(id(1, "n")), 'joined', \(id(1, "n / \(size) * \(size)")),
          \(now), \(z) FROM \(people);
      ANALYZE
      """
  }
}
