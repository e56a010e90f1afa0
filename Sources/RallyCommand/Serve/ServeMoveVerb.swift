import ArgumentParser

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
  @Flag(help: "Do not ask.") package var yes = false

  package init() {}
}
