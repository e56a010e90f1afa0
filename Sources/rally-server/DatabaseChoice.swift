import RallyCommand
import RallyServer
import RallyStorage

/// The database of `rally serve`.
enum DatabaseChoice {
  /// The environment variable; unlike arguments, other users of the machine cannot read it.
  static let variable = "RALLY_DATABASE"

  /// - Parameters:
  ///   - flag: The value of `option`.
  ///   - option: What the address was given as.
  /// - Throws: `VerbFailure` with `usage` for an invalid address or a password in the arguments.
  static func database(
    flag: String?, option: String = "--database", environment: [String: String], folder: String
  ) throws(VerbFailure) -> ServerConfiguration.Database {
    let variable = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    guard let text = flag ?? variable else { return .folder(folder) }
    let address: PostgresAddress
    do {
      address = try PostgresAddress(text)
    } catch {
      // The value is not repeated: it may contain a password.
      throw VerbFailure(
        .usage, error.description,
        advice: "Give \(flag == nil ? Self.variable : option) an address like that.")
    }
    guard flag == nil || !address.hasPassword else {
      throw VerbFailure(
        .usage, "A password in \(option) can be read by everybody on this machine.",
        advice: "Put the whole address into \(Self.variable) instead, or leave the password to"
          + " PGPASSWORD or ~/.pgpass.")
    }
    return .postgres(address, folder: folder)
  }

  /// The address and the file of an encryption key, where the keys are in the database; nil where
  /// they are in the folder.
  ///
  /// - Throws: As `database`, and for an encryption key without PostgreSQL.
  static func vault(
    _ place: ServeDatabase, environment: [String: String], folder: String
  ) throws(VerbFailure) -> (address: PostgresAddress, key: String)? {
    guard let key = place.encryptionKey else { return nil }
    guard
      case .postgres(let address, _) = try database(
        flag: place.database, environment: environment, folder: folder)
    else {
      throw VerbFailure(
        .usage, "An encryption key is for a server on PostgreSQL.",
        advice: "Give --database too, or leave --encryption-key out: the keys are in --data.")
    }
    return (address, key)
  }
}
