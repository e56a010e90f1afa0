import ArgumentParser

/// Where a server's data are stored. One option group for `rally serve` and its verbs: if two
/// commands of a hierarchy declare the same option separately, the parser sets it in the first one
/// only.
package struct ServeDatabase: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The PostgreSQL database of the server (also RALLY_DATABASE).",
      discussion: "A password belongs into RALLY_DATABASE, PGPASSWORD or ~/.pgpass.",
      valueName: "postgres://…"))
  package var database: String?

  @Option(
    help: ArgumentHelp(
      "The file of the key that encrypts the server's keys in the PostgreSQL database.",
      discussion: """
        Made at the first start. Servers of one database share this file and need no other; \
        without it each has its keys in --data.
        """, valueName: "file"),
    completion: .file())
  package var encryptionKey: String?

  package init() {}
}
