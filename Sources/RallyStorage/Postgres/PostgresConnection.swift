import CPostgres
import Foundation

/// A connection to a PostgreSQL server, used by one thread.
final class PostgresConnection: StorageConnection {
  /// The oldest supported server version.
  private static let oldestVersion = 150_000
  /// Maximum prepared statements; then all are deallocated.
  private static let preparedLimit = 400

  /// How long the server may say nothing to a statement; it stops one after 30 s by itself.
  static let silence = Duration.seconds(32)
  /// The same without that limit, for commands that read whole tables.
  static let longSilence = Duration.seconds(3600)

  private let address: PostgresAddress
  private let silence: Duration
  private var handle: OpaquePointer?
  private var statements: [String: PostgresStatement] = [:]
  /// Names of prepared statements, by text and parameter types.
  private var prepared: [String: String] = [:]
  /// The code of this transaction's first error.
  private(set) var failureCode: String?
  private var failure: StorageFailure?
  /// Whether COMMIT was sent: without a response its result is unknown.
  private(set) var isCommitting = false
  /// Translates SQLite's column types in scripts.
  var isMigrating = false

  init(_ address: PostgresAddress, silence: Duration = PostgresConnection.silence) {
    self.address = address
    self.silence = silence
  }

  /// Milliseconds; a migration takes as long as it takes.
  private var patience: Int32 { isMigrating ? -1 : Int32(silence / .milliseconds(1)) }

  deinit { close() }

  func close() {
    handle.map(rally_pq_finish)
    handle = nil
    prepared = [:]
  }

  // MARK: - Connecting

  /// Whether it is connected, as far as was noticed.
  package var isOpen: Bool { handle.map(rally_pq_status) == Int32(RALLY_PQ_CONNECTION_OK) }

  /// Connects unless connected.
  func open() throws {
    if isOpen { return }
    close()
    failureCode = nil
    failure = nil
    isCommitting = false
    if let problem = rally_pq_load() {
      throw StorageFailure(
        kind: .other,
        message: "PostgreSQL's library is missing (\(String(cString: problem)));"
          + " install libpq5 (Debian, Ubuntu), libpq (Fedora) or postgresql-libs (Arch).")
    }
    // Of several hosts the one that can be changed; where none can, reading goes on.
    do {
      try connect(to: "read-write")
    } catch  where failure?.message.contains("session is read-only") == true {
      try connect(to: "any")
      failureCode = nil
      failure = nil
    }
    guard let handle else { throw lost("there is no connection") }
    let version = Int(rally_pq_server_version(handle))
    guard version >= PostgresConnection.oldestVersion else {
      close()
      throw StorageFailure(
        kind: .other,
        message: "Rally needs PostgreSQL \(PostgresConnection.oldestVersion / 10_000) or later;"
          + " \(address) has version \(version / 10_000).")
    }
    do {
      try executeScript(
        """
        SET client_min_messages = warning; SET jit = off; SET statement_timeout = '30s';
        SET idle_in_transaction_session_timeout = '60s'; \(PostgresClaim.take)
        """)
    } catch {
      close()
      throw PostgresClaim.failure(code: failureCode, address: address) ?? error
    }
  }

  /// - Parameter target: Which of the address's hosts are taken, unless the address says so itself:
  ///   `target_session_attrs` of libpq.
  private func connect(to target: String) throws {
    // The address overrides the settings before it.
    let settings: KeyValuePairs = [
      "connect_timeout": "5", "tcp_user_timeout": "10000", "keepalives_idle": "30",
      "fallback_application_name": "rally", "target_session_attrs": target,
      "dbname": address.text, "client_encoding": "UTF8",
    ]
    let handle = PostgresConnection.withPointers(settings.map { $0.key }) { keys in
      PostgresConnection.withPointers(settings.map { $0.value }) { rally_pq_connect(keys, $0) }
    }
    guard let handle else { throw lost("there is no memory for a connection") }
    self.handle = handle
    guard rally_pq_status(handle) == RALLY_PQ_CONNECTION_OK else {
      let reason = String(cString: rally_pq_error_message(handle))
      close()
      throw lost(reason.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  /// libpq's messages name host, user and database. For an invalid address they quote it, including
  /// a password.
  private func lost(_ reason: String) -> StorageFailure {
    let isAboutAddress = reason.contains("URI") || reason.contains("percent-encoded")
    let code =
      isAboutAddress ? PostgresCode.connectionRefused : PostgresCode.ofConnecting(reason)
    let failure = StorageFailure(
      kind: PostgresCode.kind(code),
      message: "The database \(address) cannot be reached: "
        + (isAboutAddress ? "its address cannot be read." : reason))
    (failureCode, self.failure) = (code, failure)
    return failure
  }

  var backendPID: Int32 { handle.map(rally_pq_backend_pid) ?? 0 }
  var socket: Int32 { handle.map(rally_pq_socket) ?? -1 }

  /// Reads pending notifications without waiting; true if another server sent one.
  ///
  /// - Throws: `unreachable` if the connection is lost.
  func takeNotifications() throws -> Bool {
    guard let handle, rally_pq_consume(handle) == 1 else { throw lost("it does not answer") }
    var isFromOthers = false
    while true {
      let sender = rally_pq_next_notification(handle)
      if sender == 0 { return isFromOthers }
      isFromOthers = isFromOthers || sender != backendPID
    }
  }

  // MARK: - Transactions

  /// Runs work between `begin` and a commit.
  ///
  /// - Throws: The error of the work, or of the database with its code in `failureCode`; nothing
  ///   was stored unless `isCommitting`.
  func transaction<T>(_ begin: String, _ work: (PostgresConnection) throws -> T) throws -> T {
    failureCode = nil
    failure = nil
    isCommitting = false
    do {
      try executeScript(begin)
      let value = try work(self)
      // The work may have ignored a failed statement, which aborts the transaction.
      if let failure { throw failure }
      isCommitting = true
      try executeScript("COMMIT")
      isCommitting = false
      return value
    } catch {
      if let handle, isOpen {
        isCommitting = false
        rally_pq_exec(handle, "ROLLBACK", patience).map(rally_pq_clear)
      }
      throw error
    }
  }

  /// Deallocates prepared statements after a schema change.
  func forgetPrepared() {
    prepared = [:]
    if let handle { rally_pq_exec(handle, "DEALLOCATE ALL", patience).map(rally_pq_clear) }
  }

  // MARK: - Statements

  func executeScript(_ sql: String) throws {
    guard let handle else { throw lost("there is no connection") }
    let result = rally_pq_exec(handle, isMigrating ? PostgresSchema.translated(sql) : sql, patience)
    defer { rally_pq_clear(result) }
    try check(result)
  }

  /// The process that serves a statement. Behind a pooler that is another one than `backendPID`.
  ///
  /// Not prepared: a pooler may have that statement elsewhere.
  func servingPID() throws -> Int32? {
    guard let handle else { throw lost("there is no connection") }
    let result = rally_pq_exec(handle, "SELECT pg_backend_pid()", patience)
    defer { rally_pq_clear(result) }
    try check(result)
    return rally_pq_value(result, 0, 0).flatMap { Int32(String(cString: $0)) }
  }

  func execute(_ sql: String, _ arguments: StatementArguments) throws {
    try withResult(of: sql, arguments) { _ in }
  }

  func rows(_ sql: String, _ arguments: StatementArguments, limit: Int?) throws -> [Row] {
    try withResult(of: sql, arguments) { result in
      let width = rally_pq_columns(result)
      let columns = (0..<width).map { String(cString: rally_pq_column_name(result, $0)) }
      let types = (0..<width).map { rally_pq_column_type(result, $0) }
      let count = min(Int(rally_pq_rows(result)), limit ?? .max)
      return (0..<Int32(count)).map { row in
        Row(
          columns: columns,
          values: (0..<width).map { column in
            if rally_pq_is_null(result, row, column) != 0 { return .null }
            return PostgresType.value(
              of: types[Int(column)], rally_pq_value(result, row, column),
              length: Int(rally_pq_length(result, row, column)))
          })
      }
    }
  }

  private func withResult<T>(
    of sql: String, _ arguments: StatementArguments, _ body: (OpaquePointer?) throws -> T
  ) throws -> T {
    guard let handle else { throw lost("there is no connection") }
    let statement = statements[sql] ?? PostgresStatement(sql)
    statements[sql] = statement
    let values = try statement.values(arguments)
    let name = try prepare(statement, sql, values)
    let texts = try values.map(PostgresType.text)
    let result = PostgresConnection.withPointers(texts) {
      rally_pq_exec_prepared(handle, name, Int32(texts.count), $0, patience)
    }
    defer { rally_pq_clear(result) }
    try check(result)
    return try body(result)
  }

  private func prepare(
    _ statement: PostgresStatement, _ sql: String, _ values: [SQLValue]
  ) throws -> String {
    let key = String(decoding: values.map(PostgresType.letter), as: UTF8.self) + sql
    if let name = prepared[key] { return name }
    if prepared.count >= PostgresConnection.preparedLimit {
      forgetPrepared()
      statements = [:]
    }
    let name = "rally\(prepared.count)"
    let types = values.map(PostgresType.number)
    let result = rally_pq_prepare(handle, name, statement.sql, Int32(types.count), types, patience)
    defer { rally_pq_clear(result) }
    try check(result)
    prepared[key] = name
    return name
  }

  private func check(_ result: OpaquePointer?) throws {
    let status = result.map { Int(rally_pq_result_status($0)) } ?? -1
    if status == RALLY_PQ_COMMAND_OK || status == RALLY_PQ_TUPLES_OK { return }
    func field(_ name: Int) -> String? {
      result.flatMap { rally_pq_error_field($0, Int32(name)) }.map { String(cString: $0) }
    }
    let code =
      isOpen ? field(RALLY_PQ_FIELD_SQLSTATE) ?? "XX000" : PostgresCode.connectionLost
    let words = field(RALLY_PQ_FIELD_PRIMARY) ?? "the connection is gone"
    let failure = StorageFailure(
      kind: PostgresCode.kind(code),
      message: PostgresCode.quotesValues(code)
        ? "PostgreSQL does not take a value (\(code))" : "PostgreSQL: \(words) (\(code))")
    if failureCode == nil {
      failureCode = code
      self.failure = failure
    }
    throw failure
  }

  private static func withPointers<T>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> T
  ) rethrows -> T {
    let copies = texts.map { text in text.flatMap { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
    return try pointers.withUnsafeBufferPointer { try body($0.baseAddress) }
  }
}
