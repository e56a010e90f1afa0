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
