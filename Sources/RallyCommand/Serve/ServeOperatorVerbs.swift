import ArgumentParser

/// Asks a running server whether it is ready, for whoever watches over it.
package struct ServeHealthVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Ask a running server whether it is ready.",
    discussion: """
      Asks GET /health on this machine at the port that `rally serve --metrics-port` was given, or \
      at the address of --server. Ends with 0 if the server is ready, with 1 if it says that it is \
      not, and with 4 if it does not answer within five seconds.
      """)

  @OptionGroup package var global: GlobalOptions
  @Argument(help: "The port of `rally serve --metrics-port`.") package var port = 9787

  package init() {}
}

/// Lists the table of budgets.
package struct ServeBudgetsVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "budgets", abstract: "List what everybody on a server may have and do.",
    discussion: """
      Each budget is changed with `rally serve --budget NAME=VALUE`. The values are those that a \
      server has unless it is told otherwise.
      """)

  @OptionGroup package var global: GlobalOptions

  package init() {}
}

/// Prints the audit log of operators.
package struct ServeAuditVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print what operators did to a server.",
    discussion: """
      One line for each account that was disabled, enabled, deleted or given a new password, each \
      backup, restore and new secret, the oldest first: time, the system's user (and who called \
      sudo), what, and the account's id or the backup's file.
      """)

  @OptionGroup package var global: GlobalOptions
  @Option(help: "Print only so many of the latest lines.") package var limit: Int?

  package init() {}

  package func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1.") }
  }
}

/// Replaces the secret that signs tokens, in case it has leaked.
package struct ServeRotateSecretVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "rotate-secret", abstract: "Replace the secret that signs tokens.",
    discussion: """
      Nobody is signed out: tokens of the old secret stay good until they end. The API key does \
      not change. A server that runs on the same --data takes the new secret at once. With \
      --database and --encryption-key all servers of that database take it by themselves.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase

  package init() {}
}
