import Foundation
import RallyDomain
import RallySystem
import RallyTestSupport
import RallyWire

/// A running server with accounts: one whose terminal is measured, and others that send requests.
final class BenchmarkServer: @unchecked Sendable {
  // Unchecked: all properties are set in `init`, and each connection is used by one thread at a
  // time.

  struct Person {
    var id: UUID
    var username: String
    var connection: HTTPConnection
  }

  let folder: TemporaryFolder
  let process: RunningCommand
  let announcement: ServerAnnouncement
  let port: UInt16
  let measured: Person
  let users: [Person]
  static let password = "correct horse battery"

  /// Starts the server and creates the accounts; the first `friends` of the others become friends.
  ///
  /// - Parameters:
  ///   - database: One of PostgreSQL; nil for SQLite.
  ///   - options: More of `rally serve`.
  init(
    size: Int = 24, friends: Int = 12, database: String? = nil, options: [String] = []
  ) async throws {
    folder = try TemporaryFolder()
    process = try RunningCommand(
      RallyBinary.required(),
      [
        "serve", "--data", folder.file("server"), "--host", "127.0.0.1", "--port", "0", "--json",
        // All requests come from one address.
        "--no-limits", "--budget", "sockets=20000",
      ] + (database.map { ["--database", $0] } ?? []) + options,
      environment: folder.environment)
    let line = try await process.firstLine()
    announcement = try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8))
    let key = announcement.key
    let found = try announcement.port
    port = found
    progress("with \(size) accounts")
    func signUp(_ username: String) throws -> Person {
      let connection = try HTTPConnection(port: found, key: key)
      let body = SignUpBody(
        email: "\(username)@bench.example", password: Self.password,
        data: SignUpData(username: username, displayName: username.capitalized))
      let answer = try connection.post("/auth/v1/signup", WireJSON.encode(body))
      guard answer.status == 200 else {
        throw BenchFailure(
          "signup: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
      }
      let session = try WireJSON.decode(AuthSession.self, from: answer.body)
      connection.token = session.accessToken
      return Person(id: session.user.id, username: username, connection: connection)
    }
    measured = try signUp("measured")
    users = try (0..<size).map { try signUp("person\(String(format: "%02d", $0))") }
    for friend in users.prefix(friends) {
      try call(RequestFriend(userID: measured.id), as: friend)
      try call(RequestFriend(userID: friend.id), as: measured)
    }
  }

  deinit { process.signal(SIGTERM) }

  /// - Returns: The body of the answer.
  @discardableResult
  func call<F: RemoteFunction>(_ function: F, as person: Person) throws -> Data {
    let answer = try person.connection.post("/rest/v1/rpc/\(F.name)", WireJSON.encode(function))
    guard (200..<300).contains(answer.status) else {
      throw BenchFailure(
        "\(F.name): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }
    return answer.body
  }

  /// Reports a measured position.
  ///
  /// - Parameters:
  ///   - latitude: Degrees; so is `longitude`. Nothing is reported outside their ranges.
  func publish(latitude: Double, longitude: Double, as person: Person) throws {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return }
    try call(
      PublishLocations(locations: [
        LocationReport(coordinate: place, accuracyMetres: 10, recordedAt: .now, source: "gps")
      ]), as: person)
  }

  /// Signs the measured account in on this machine.
  ///
  /// - Throws: `BenchFailure` if that is refused.
  func signIn() async throws {
    let run = try await CommandRun.of(
      RallyBinary.required(),
      ["login", "--email", "measured@bench.example", "--password-stdin"] + arguments,
      environment: folder.environment, input: Self.password + "\n")
    guard run.succeeded else { throw BenchFailure("\(run)") }
    let folders = try RallyFolders(environment: folder.environment)
    await Self.rememberFriends(in: folders)
  }

  /// Lets the client open on the list of friends.
  @MainActor private static func rememberFriends(in folders: RallyFolders) async {
    let memory = InterfaceMemory(
      persistenceService: PersistenceService(folder: folders.profileState))
    memory.note(.friends)
    await memory.save()
  }

  /// The client, with its friends on the first screen.
  func startSubject() throws -> StartSubject {
    StartSubject(
      name: "rally", command: try RallyBinary.required(), arguments: arguments, folder: folder,
      isUsable: Self.showsFriends)
  }

  static func showsFriends(_ screen: ScreenEmulator) -> Bool {
    screen.contains("RALLY") && screen.contains("? help") && screen.contains("person00")
  }

  /// The arguments that connect `rally` to this server.
  var arguments: [String] { ["--server", announcement.url, "--key", announcement.key] }
}

extension ServerAnnouncement {
  /// - Throws: `BenchFailure` for an address without one.
  var port: UInt16 {
    get throws {
      guard let port = URL(string: url)?.port.flatMap(UInt16.init(exactly:)) else {
        throw BenchFailure("no port in \(url)")
      }
      return port
    }
  }
}
