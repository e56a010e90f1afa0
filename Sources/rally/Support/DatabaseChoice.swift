import ArgumentParser
import RallyServer

/// Where a server's data are. One group for `rally serve` and its verbs: the parser gives an option that
/// two of them declare apart to the first one only.
struct ServeDatabase: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database of the server (also RALLY_DATABASE).",
      discussion: "A password belongs into RALLY_DATABASE, PGPASSWORD or ~/.pgpass.",
      valueName: "postgres://…"))
  var database: String?
}

/// Which database `rally serve` works on.
enum DatabaseChoice {
  /// Its variable in the environment, which other people of the machine cannot read.
  static let variable = "RALLY_DATABASE"

  /// - Parameter flag: What was given as `--database`.
  /// - Throws: `usage` for what is no address, and for a password in the arguments.
  static func database(
    flag: String?, environment: [String: String], folder: String
  ) throws(VerbFailure) -> ServerConfiguration.Database {
    let variable = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    guard let text = flag ?? variable else { return .folder(folder) }
    let address: PostgresAddress
    do {
      address = try PostgresAddress(text)
    } catch {
      // What was given is not repeated: it may have a password in it.
      throw VerbFailure(
        .usage, error.description,
        advice: "Give \(flag == nil ? Self.variable : "--database") an address like that.")
    }
    guard flag == nil || !address.hasPassword else {
      throw VerbFailure(
        .usage, "A password in --database can be read by everybody on this machine.",
        advice: "Put the whole address into \(Self.variable) instead, or leave the password to"
          + " PGPASSWORD or ~/.pgpass.")
    }
    return .postgres(address, folder: folder)
  }
}
