import Foundation

/// Where a PostgreSQL database is, as a URL: `postgres://user@host:port/database`.
///
/// Neither its description nor any failure contains a password.
public struct PostgresAddress: Sendable, CustomStringConvertible {
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case notAnAddress

    public var description: String {
      "This is not the address of a PostgreSQL database, such as postgres://rally@localhost/rally."
    }
  }

  /// The original text; may contain a password.
  let text: String
  /// Whether a password is part of it.
  public let hasPassword: Bool
  public let description: String

  private static let schemes = ["postgres://", "postgresql://"]
  /// Parameters of libpq that are secrets.
  private static let secrets = ["password", "sslpassword"]

  /// - Throws: `notAnAddress`; other errors appear when connecting.
  public init(_ text: String) throws(Failure) {
    guard let scheme = Self.schemes.first(where: text.hasPrefix) else { throw .notAnAddress }
    let rest = text.dropFirst(scheme.count)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let place = parts.first, !rest.contains(where: { $0.isWhitespace || $0 == "\0" }) else {
      throw .notAnAddress
    }
    // A password may hold anything but a slash in front of the last @ of the host's part.
    let authority = place.prefix { $0 != "/" }
    let login = authority.lastIndex(of: "@").map { authority[..<$0] }
    let user = login.map { $0.prefix { $0 != ":" } }
    let settings = parts.count > 1 ? parts[1].split(separator: "&") : []
    let harmless = settings.filter { setting in
      let name = setting.prefix { $0 != "=" }
      return !Self.secrets.contains(String(name).removingPercentEncoding ?? "password")
    }
    self.text = text
    hasPassword = user?.endIndex != login?.endIndex || harmless.count < settings.count
    let shown = login.map { place[place.index(after: $0.endIndex)...] } ?? place
    description =
      scheme + (user.map { "\($0)@" } ?? "") + shown
      + (harmless.isEmpty ? "" : "?" + harmless.joined(separator: "&"))
  }

  /// The message of an error about connecting; nil for other errors.
  public static func sentence(on error: any Error) -> String? {
    (error as? StorageFailure)?.message
  }
}

/// The commands of PostgreSQL that back a server's database up and restore it, for a shell.
///
/// Without what is no use in a restored database: tables that are not logged, and the feed, whose
/// entries are numbered by transactions of the installation that they were written in. Neither has a
/// password, which belongs into `PGPASSWORD` or `~/.pgpass`.
public struct PostgresDump: Sendable {
  private let address: String
  private let schema: String

  /// Asks the database for its schema.
  ///
  /// - Parameter isServed: Whether there has to be a server's database of this version.
  /// - Throws: `StorageFailure`.
  public init(_ address: PostgresAddress, isServed: Bool) throws {
    let connection = PostgresConnection(address)
    defer { connection.close() }
    try connection.open()
    if isServed {
      try PostgresMigrations.requireDone(Migrations.migrator.steps, on: connection)
    }
    self.address = address.description
    schema =
      try String.fetchOne(
        Database(.postgres, on: connection), sql: "SELECT CAST(current_schema() AS text)")
      ?? "public"
  }

  public func backup(to file: String) -> String {
    // Without it the whole database is dumped, with its extensions.
    let part = schema == "public" ? [] : ["--schema=\(pattern)"]
    return PostgresDump.line(
      ["pg_dump", "--format=custom", "--no-unlogged-table-data"] + part
        + ["--exclude-table-data=\(pattern).changes", "--file=\(file)", "--dbname=\(address)"])
  }

  /// - Parameter isReplacing: Whether the tables that are there are removed first.
  public func restore(from file: String, replacing isReplacing: Bool) -> String {
    PostgresDump.line(
      ["pg_restore", "--single-transaction", "--exit-on-error", "--no-owner"]
        + (isReplacing ? ["--clean", "--if-exists"] : []) + ["--dbname=\(address)", file])
  }

  /// The schema as a pattern of pg_dump that is nothing else.
  private var pattern: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }

  private static func line(_ words: [String]) -> String {
    words.map { word in
      word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_=./:@".contains($0)) }
        ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }.joined(separator: " ")
  }
}
