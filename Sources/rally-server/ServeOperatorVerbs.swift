import Foundation
import RallyClient
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallySystem
import RallyText
import RallyWire

extension ServeHealthVerb: PerformedVerb {
  func perform() async throws {
    let address = global.server ?? "http://127.0.0.1:\(port)"
    do {
      try await SupabaseClient.checkHealth(of: ServerURL(address), timeout: .seconds(5))
    } catch NetworkError.http(let status), NetworkError.notTheServer(let status?) {
      throw VerbFailure(
        .failed, "The server at \(address) is not ready (status \(status)).",
        advice: "Its log says why: it is about to end, or its database does not answer.")
    }
    Output(options: global).message("The server is ready.")
  }
}

extension ServeBudgetsVerb: PerformedVerb {
  /// One budget for `--json`.
  private struct Line: Encodable {
    var name: String
    var actor: String
    var value: Int
    var resource: String
    var summary: String
  }

  func perform() throws {
    let output = Output(options: global)
    let lines = Budget.allCases.map { budget in
      let row = budget.row
      return Line(
        name: budget.rawValue, actor: row.actor.rawValue, value: row.standard,
        resource: row.resource.rawValue, summary: row.summary)
    }
    if global.json { return try output.json(lines) }
    output.table(
      lines.map { [$0.name, $0.actor, "\($0.value) \($0.resource)", $0.summary] },
      headings: ["budget", "of", "limit", "what it limits"])
  }
}

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

extension ServeRotateSecretVerb: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    if let (address, key) = try DatabaseChoice.vault(place, folder: folder) {
      do {
        try await SecretRotation.rotate(in: address, encryptionKey: key, folder: folder)
      } catch {
        throw VerbFailure(of: error, on: .postgres(address, folder: folder))
          ?? VerbFailure(.failed, "The secret was not exchanged: \(error).")
      }
      return output.message("In ten seconds all servers sign new tokens with a new secret.")
    }
    do {
      let process = try SecretRotation.rotate(folder: folder)
      output.message(
        process.map { "New tokens are signed with a new secret; process \($0) was told." }
          ?? "New tokens will be signed with a new secret; no server runs here now.")
    } catch {
      throw VerbFailure(of: error, on: .folder(folder))
        ?? VerbFailure(.failed, "The secret was not exchanged: \(error).")
    }
  }
}
