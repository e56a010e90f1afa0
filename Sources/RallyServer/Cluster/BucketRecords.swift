import RallyRules
import RallyStorage
import RallyWire

/// The table `buckets`: how much of each rate limit is left. PostgreSQL only.
enum BucketRecords {
  /// A bucket fills up within less than that, so that one without a row is full.
  static let life = Duration.seconds(600)

  /// The bucket at this moment, locked until the transaction ends; a full one if there was none. One
  /// from before the database's clock was put back fills up from now on.
  static func locked(
    _ digest: String, for request: BucketRequest, in database: Database
  ) throws -> TokenBucket {
    let row = try Row.fetchOne(
      database,
      sql: """
        INSERT INTO buckets AS b (digest, tokens, filled_at)
        VALUES (?, CAST(? AS DOUBLE PRECISION), \(PostgresClock.now))
        ON CONFLICT (digest) DO UPDATE SET filled_at = LEAST(b.filled_at, excluded.filled_at)
        RETURNING b.tokens, b.filled_at, \(PostgresClock.now) AS now
        """, arguments: [digest, Double(request.size)])
    guard let row else { throw StorageFailure.damaged("a bucket was not stored") }
    return TokenBucket.filled(
      TokenBucket(tokens: try row["tokens"], filledAt: try row["filled_at"]), for: request,
      at: try row["now"])
  }

  static func save(_ bucket: TokenBucket, as digest: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE buckets SET tokens = ?, filled_at = ? WHERE digest = ?",
      arguments: [bucket.tokens, bucket.filledAt, digest])
  }

  /// By the clock by which they were filled.
  static func trim(in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM buckets WHERE filled_at < \(PostgresClock.now) - CAST(? AS BIGINT)",
      arguments: [Int64(life / .microseconds(1))])
  }
}

/// The table `known_addresses`: from where accounts were entered lately. PostgreSQL only.
enum KnownAddressRecords {
  private static let life = Duration.seconds(90 * 86_400)

  static func contains(
    _ address: String, of account: String, in database: Database
  ) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM known_addresses WHERE account = ? AND address = ?",
      arguments: [account, address]) != nil
  }

  /// Keeps the last `KnownAddresses.perAccount` of an account.
  static func insert(
    _ address: String, of account: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO known_addresses (account, address, at) VALUES (?, ?, ?)
        ON CONFLICT (account, address) DO UPDATE SET at = excluded.at
        """, arguments: [account, address, time])
    try database.execute(
      sql: """
        DELETE FROM known_addresses WHERE account = :account AND address NOT IN (
          SELECT address FROM known_addresses WHERE account = :account
          ORDER BY at DESC LIMIT \(KnownAddresses.perAccount))
        """, arguments: ["account": account])
  }

  static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM known_addresses WHERE at < ?",
      arguments: [time.advanced(by: .zero - life)])
  }
}
