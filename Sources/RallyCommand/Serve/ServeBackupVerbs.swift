import ArgumentParser

package struct ServeBackup: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write everything of a server into one file.",
    discussion: """
      Works beside a running server and holds nobody up. The file has the database as it was at \
      one moment and the server's keys, so keep it as safe as the server.

      For a database in PostgreSQL it writes nothing, names the command of pg_dump and ends with 2.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "The file to write.", completion: .file()) package var file: String
  @Flag(help: "Replace a file of this name.") package var force = false

  package init() {}
}

package struct ServeRestore: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a server's data folder from a backup.",
    discussion: """
      The server must not run. A database that is there already stays beside the new one as \
      rally.db.replaced, and its keys as server.json.replaced.

      For a database in PostgreSQL it changes nothing, names the command of pg_restore and ends \
      with 2.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Argument(help: "A file that `rally serve backup` wrote.", completion: .file())
  package var file: String
  @Flag(help: "Put it in the place of the database that is there.") package var force = false

  package init() {}
}

package struct ServeCheck: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a server's database for damage.",
    discussion: """
      Works beside a running server. Ends with 1 when something is wrong. In PostgreSQL it checks \
      Rally's tables and rules; pages are checked by pg_amcheck.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase

  package init() {}
}

/// Moves a server between SQLite and PostgreSQL.
package struct ServeMove: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a server from its one file to PostgreSQL, or back.",
    discussion: """
      Copies every row, compares both sides row by row, and takes the keys along, so that nobody \
      is signed out. Servers must be stopped for that time. What is moved stays in the old place \
      too. After a move that was ended at any moment, the same command goes on; until it is done, \
      no server starts on the new place.

      The one side is sqlite:DIR, a data folder. The other is postgres://…, or postgres: for the \
      address in RALLY_DATABASE, which may have a password. The keys move between server.json of \
      the folders, of PostgreSQL's in --data, or into and out of the database with \
      --encryption-key.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Option(help: ArgumentHelp("Where the server is.", valueName: "place"))
  package var from: String
  @Option(help: ArgumentHelp("Where it goes; nothing may be there.", valueName: "place"))
  package var to: String
  @Flag(help: "Do not ask for confirmation.") package var yes = false

  package init() {}
}
