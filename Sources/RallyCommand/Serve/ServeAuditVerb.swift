import ArgumentParser

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
