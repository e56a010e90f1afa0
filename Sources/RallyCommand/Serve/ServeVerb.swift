import ArgumentParser

/// Runs a server for a group, or the embedded one, which the client starts with a hidden flag.
package struct ServeVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run a server for a group.",
    discussion: """
      Prints its address and its API key once it is ready, and stops cleanly on SIGTERM or ^C. \
      The data lies in --data, or in the data folder that the embedded server uses. SIGHUP has it \
      read its certificate again.
      """,
    subcommands: [
      ServeInviteVerb.self, ServeUsers.self, ServeBackup.self, ServeRestore.self, ServeCheck.self,
      ServeMove.self,
      ServeRotateSecretVerb.self, ServeAuditVerb.self, ServeBudgetsVerb.self, ServeHealthVerb.self,
      ServeSSH.self,
    ])

  @OptionGroup package var global: GlobalOptions
  @Option(help: "The address to listen on; 0.0.0.0 for everybody.")
  package var host = "127.0.0.1"
  @Option(help: "The port; 0 lets the system choose.") package var port = 8787
  @OptionGroup package var place: ServeDatabase
  @OptionGroup package var connection: ServeConnectionOptions
  @OptionGroup package var address: ServePublicAddress
  @OptionGroup package var operation: ServeOptions
  @Flag(help: .hidden) package var embedded = false
  @Option(help: .hidden) package var socket: String?

  package init() {}
}
