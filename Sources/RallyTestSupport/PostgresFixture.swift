import CPostgres
import Foundation
import RallyRules
import RallyServer
import RallyStorage
import Synchronization

/// A PostgreSQL server for the tests of one process. It is created in a temporary folder on first
/// use, listens on a Unix socket there, and is stopped when the process ends, also if it crashes.
///
/// Every test gets its own schema. Nothing is forced to the disk, except for measurements.
public final class PostgresFixture: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The server of this process.
  public static let shared = Result { try PostgresFixture() }

  /// Its data are in `data`, with its log of writes.
  public let folder: String
  /// A pipe that is closed when this process ends, which stops the server.
  private let life: FileHandle
  private let process: Process
  private let schemas = Mutex(0)

  /// - Parameter isDurable: Whether a commit waits until it is on the disk.
  /// - Throws: `Failure` if PostgreSQL is missing or does not start.
  public init(isDurable: Bool = false) throws {
    guard let programs = PostgresFixture.programs else {
      throw Failure(
        description: "PostgreSQL's programs are missing: Scripts/install-dependencies --tests")
    }
    let folder = "/tmp/rally-postgres-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    self.folder = folder
    let haste =
      isDurable ? "" : "-c fsync=off -c full_page_writes=off -c synchronous_commit=off"
    let script = """
      cd '\(folder)' || exit 1
      trap 'cd / && rm -rf "\(folder)"' EXIT
      '\(programs)/initdb' -D data -A trust -U rally --no-sync -E UTF8 --locale=C.UTF-8 \
        --locale-provider=icu --icu-locale=en-US >log 2>&1 || { cat log >&2; exit 1; }
      '\(programs)/postgres' -D data -k '\(folder)' -c listen_addresses= \(haste) \
        -c max_connections=400 \
        -c max_pred_locks_per_transaction=256 -c shared_buffers=64MB -c logging_collector=off \
        >log 2>&1 &
      server=$!
      read -r word
      kill -INT $server
      wait $server
      """
    (process, life) = try PostgresFixture.run(script, in: folder)
    try waitUntilReady()
  }

  /// Runs a shell script whose standard input ends with this process, on a private folder. When
  /// this process is root it runs as the user postgres, since PostgreSQL's programs refuse to run
  /// as root.
  static func run(_ script: String, in folder: String) throws -> (Process, life: FileHandle) {
    let process = Process()
    let arguments = ["/bin/sh", "-c", script]
    if geteuid() == 0 {
      guard let user = getpwnam("postgres") else {
        throw Failure(description: "There is no user postgres to run the server as.")
      }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
      process.executableURL = URL(fileURLWithPath: "/usr/sbin/runuser")
      process.arguments = ["-u", "postgres", "--"] + arguments
    } else {
      process.executableURL = URL(fileURLWithPath: arguments[0])
      process.arguments = Array(arguments.dropFirst())
    }
    let pipe = Pipe()
    // Other child processes must not inherit it.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    process.standardInput = pipe
    try process.run()
    return (process, pipe.fileHandleForWriting)
  }

  /// The folder of PostgreSQL's programs: the newest of Debian's folders, or what pg_config
  /// reports.
  private static var programs: String? {
    let folder = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let newest = versions.compactMap { Int($0) }.sorted(by: >).map { "\(folder)/\($0)/bin" }
    return (newest + [configured].compactMap { $0 }).first {
      FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
    }
  }

  private static var configured: String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["pg_config", "--bindir"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : text
  }

  private func waitUntilReady() throws {
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while true {
      do {
        try execute("SELECT 1")
        return
      } catch {
        guard process.isRunning, ContinuousClock.now < deadline else { throw error }
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  // MARK: - Databases

  /// An empty database schema for one test.
  ///
  /// - Parameter role: The database role of the test; only the default one is shared by tests.
  /// - Throws: `Failure` if the server refuses a statement.
  public func database(role: String = "rally") throws -> PostgresAddress {
    let number = schemas.withLock { number in
      number += 1
      return number
    }
    try execute("CREATE SCHEMA test_\(number)")
    if role != "rally" { try execute("CREATE ROLE \(role) SUPERUSER LOGIN") }
    return try address(
      role, "options=-csearch_path%3Dtest_\(number)&application_name=test_\(number)")
  }

  private var host: String { folder.replacingOccurrences(of: "/", with: "%2F") }

  private func address(_ role: String, _ settings: String) throws -> PostgresAddress {
    try PostgresAddress("postgres://\(role)@\(host)/postgres?\(settings)")
  }

  /// The server's socket.
  public var socket: String { "\(folder)/.s.PGSQL.5432" }

  /// The same database at a proxy in front of `socket`.
  public func address(
    _ address: PostgresAddress, through proxy: FaultProxy
  ) throws -> PostgresAddress {
    let text = address.description.replacingOccurrences(of: host, with: "127.0.0.1:\(proxy.port)")
    return try PostgresAddress(text + "&sslmode=disable&gssencmode=disable&connect_timeout=2")
  }

  // MARK: - A pooler

  /// Runs `body` with an empty database behind PgBouncer.
  ///
  /// - Parameter mode: What it pools: `session`, `transaction` or `statement`.
  /// - Throws: `Failure` if PgBouncer is missing or does not answer.
  public nonisolated(nonsending) func withPooler(
    mode: String = "session", _ body: (PostgresAddress) async throws -> Void
  ) async throws {
    let program = "/usr/sbin/pgbouncer"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure(description: "PgBouncer is missing: Scripts/install-dependencies --tests")
    }
    let role = "pooled_\(UUID().uuidString.prefix(8).lowercased())"
    let schema = try database(role: role).description.firstMatch(of: /test_[0-9]+/)?.output ?? ""
    // A pooler takes no options from clients.
    try execute("ALTER ROLE \(role) SET search_path = \(schema)")
    let place = "/tmp/rally-pooler-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: place) }
    let settings = """
      [databases]
      postgres = host=\(folder)
      [pgbouncer]
      listen_addr =
      unix_socket_dir = \(place)
      auth_type = trust
      auth_file = \(place)/users
      pool_mode = \(mode)
      default_pool_size = 40
      """
    let script = """
      cd '\(place)' || exit 1
      cat >settings <<'END'
      \(settings)
      END
      echo '"\(role)" ""' >users
      '\(program)' -q settings >log 2>&1 &
      pooler=$!
      read -r word
      kill -INT $pooler
      wait $pooler
      """
    let (process, life) = try PostgresFixture.run(script, in: place)
    // Its socket is a file before it listens there.
    let pooled = ["host": place, "port": "6432", "user": role, "dbname": "postgres"]
    var patience = PollingBackoff()
    while (try? PostgresFixture.execute("SELECT 1", on: pooled)) == nil {
      guard process.isRunning, await patience.pause() else {
        throw Failure(description: "PgBouncer does not start.")
      }
    }
    let host = place.replacingOccurrences(of: "/", with: "%2F")
    try await body(PostgresAddress("postgres://\(role)@\(host):6432/postgres"))
    try life.close()
    process.waitUntilExit()
  }

  /// The process that starts a process for each connection; nil while it does not run.
  public var processID: pid_t? {
    let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    return file?.split(separator: "\n").first.flatMap { pid_t($0) }
  }

  /// Runs SQL statements as the administrator.
  ///
  /// - Returns: The first column of the last statement's first row; nil without a row.
  /// - Throws: `Failure` if libpq is missing or a statement fails.
  @discardableResult
  public func execute(_ sql: String) throws -> String? {
    try PostgresFixture.execute(sql, on: ["host": folder, "user": "rally", "dbname": "postgres"])
  }

  /// - Parameter settings: Of libpq, which say where the database is.
  private static func execute(_ sql: String, on settings: [String: String]) throws -> String? {
    if let problem = rally_pq_load() { throw Failure(description: String(cString: problem)) }
    let names = settings.keys.map { strdup($0) }
    let values = settings.keys.map { strdup(settings[$0] ?? "") }
    defer { for text in names + values { free(text) } }
    let connection = (names.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { names in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        rally_pq_connect(names.baseAddress, values.baseAddress)
      }
    }
    guard let connection else { throw Failure(description: "no memory") }
    defer { rally_pq_finish(connection) }
    let result = rally_pq_exec(connection, sql, -1)
    defer { rally_pq_clear(result) }
    let status = result.map { Int(rally_pq_result_status($0)) } ?? -1
    guard status == RALLY_PQ_COMMAND_OK || status == RALLY_PQ_TUPLES_OK else {
      throw Failure(description: String(cString: rally_pq_error_message(connection)))
    }
    guard rally_pq_rows(result) > 0, let value = rally_pq_value(result, 0, 0) else { return nil }
    return String(cString: value)
  }
}
