import ArgumentParser
import RallyDomain
import RallyServer
import RallyText
import RallyWire

/// Prints the audit log of operators.
struct ServeAuditVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Print what operators did to a server.",
    discussion: """
      One line for each account that was disabled, enabled, deleted or given a new password, each \
      backup, restore and new secret, the oldest first: time, the system's user (and who called \
      sudo), what, and the account's id or the backup's file.
      """)

  @OptionGroup var global: GlobalOptions
  @Option(help: "Print only so many of the latest lines.") var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1.") }
  }

  func run() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    let entries: [AuditEntry]
    do {
      entries = try AuditLog(folder: folder).entries()
    } catch {
      throw VerbFailure(.failed, "The audit log in \(folder) cannot be read: \(error).")
    }
    let shown = Array(entries.suffix(limit ?? entries.count))
    if global.json { return try output.json(shown) }
    output.table(shown.map(\.cells), headings: ["time", "operator", "act", "on"])
    output.message("\(shown.count.counted("act")).")
  }
}

extension AuditEntry {
  fileprivate var cells: [String] {
    [
      time.description, sudoUser.map { "\(user) (sudo: \($0))" } ?? user, act.rawValue,
      account ?? file ?? "",
    ].map(\.cleanedForDisplay)
  }
}
