import RallyCommand
import RallyDomain
import RallyServer
import RallyStorage
import RallySystem
import RallyText
import RallyWire

extension ServeAuditVerb: PerformedVerb {
  func perform() async throws {
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
