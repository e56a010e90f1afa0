import Foundation
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallySystem
import RallyText

extension ServeMove: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let (source, target) = try places()
    do {
      let move = try DatabaseMove(from: source, to: target)
      defer { try? move.close() }
      let overview = try move.overview()
      try Confirmation(isGiven: yes).require(
        "Move?", because: Self.announcement(of: overview, from: source, to: target))
      let tables = try perform(move, output)
      try report(tables, of: overview, from: source, to: target, output)
    } catch let failure as VerbFailure {
      throw failure
    } catch let failure as DatabaseMove.Failure {
      throw VerbFailure(.failed, failure.description, advice: failure.advice)
    } catch let failure as DataFolderLock.Failure {
      throw VerbFailure(.failed, failure.description, advice: "Stop it first.")
    } catch {
      throw PostgresAddress.sentence(on: error).map { VerbFailure(.failed, $0) }
        ?? VerbFailure(of: error, on: .folder(source.folder ?? target.folder ?? ""))
        ?? VerbFailure(.failed, "The move ended: \(error).", advice: Self.goingOn)
    }
  }

  private static let goingOn = "The same command goes on where it was ended."

  /// What is said before anything is changed.
  private static func announcement(
    of overview: DatabaseMove.Overview, from source: DatabaseMove.Place,
    to target: DatabaseMove.Place
  ) -> String {
    let begun = overview.isResumed ? "A move was begun here and goes on. " : ""
    return begun
      + "\(overview.words) (\(ByteText(UInt64(max(0, overview.bytes))))) are copied from \(source)"
      + " to \(target) and compared. Until that is done the server has to stay stopped."
  }

  private func perform(_ move: DatabaseMove, _ output: Output) throws -> [DatabaseMove.Table] {
    var shown: (stage: DatabaseMove.Stage, report: ProgressReport)?
    defer { shown?.report.end() }
    let isShown = isatty(STDERR_FILENO) == 1
    return try move.run { progress in
      guard isShown else { return }
      if shown?.stage != progress.stage {
        shown?.report.end()
        shown = (
          progress.stage,
          ProgressReport(progress.stage.rawValue.capitalized, output) { "\($0) of \($1) rows" }
        )
      }
      shown?.report.report(UInt64(progress.done), of: UInt64(progress.total))
    }
  }

  private func report(
    _ tables: [DatabaseMove.Table], of overview: DatabaseMove.Overview,
    from source: DatabaseMove.Place, to target: DatabaseMove.Place, _ output: Output
  ) throws {
    let differences = tables.reduce(0) { $0 + $1.differences }
    if global.json {
      try output.json(
        ServeMoveReport(
          from: "\(source)", to: "\(target)", accounts: overview.accounts,
          differences: differences, tables: tables))
    } else {
      output.table(
        tables.map { [$0.table, "\($0.rows)", $0.differences == 0 ? "" : "\($0.differences)"] },
        headings: ["table", "rows", "different"])
    }
    guard differences == 0 else {
      throw VerbFailure(
        .failed, "\(differences.counted("row")) differ, so that no server starts on \(target).",
        advice: "Run the same command again. If they differ again, that place cannot hold them:"
          + " go on with \(source).")
    }
    output.message("Moved \(overview.words); both sides are equal. Start the server with \(next).")
  }

  /// What a server is started with on the target.
  private var next: String {
    guard to.hasPrefix("postgres") else { return "--data \(to.dropFirst("sqlite:".count))" }
    let key = place.encryptionKey.map { " --encryption-key \($0)" } ?? ""
    return (to == "postgres:" ? DatabaseChoice.variable : "--database \(to)") + key
  }

  // MARK: - Places

  /// - Throws: `VerbFailure` with `usage` unless one is a folder and the other PostgreSQL.
  private func places() throws -> (DatabaseMove.Place, DatabaseMove.Place) {
    let (source, target) = (try parsed(from, "--from"), try parsed(to, "--to"))
    guard (source.folder == nil) != (target.folder == nil) else {
      throw VerbFailure(
        .usage, "A server moves between SQLite and PostgreSQL: give one of each.",
        advice: "`rally serve backup` and `restore`, or pg_dump, copy to a place of the same kind.")
    }
    return (source, target)
  }

  private func parsed(_ word: String, _ option: String) throws -> DatabaseMove.Place {
    if word.hasPrefix("sqlite:") {
      let path = word.dropFirst("sqlite:".count)
      guard !path.isEmpty else { throw unknown(word, option) }
      // No shell expands a tilde behind a colon.
      return .folder(URL(filePath: (String(path) as NSString).expandingTildeInPath).path)
    }
    guard word.hasPrefix("postgres:") || word.hasPrefix("postgresql:") else {
      throw unknown(word, option)
    }
    let isNamed = word.contains("//")
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    guard
      case .postgres(let address, _) = try DatabaseChoice.database(
        flag: isNamed ? word : place.database, option: isNamed ? option : "--database",
        folder: folder)
    else {
      throw VerbFailure(
        .usage, "\(option) postgres: stands for \(DatabaseChoice.variable), which is not set.",
        advice: "Set it, or give \(option) an address like postgres://rally@localhost/rally.")
    }
    return .postgres(address, encryptionKey: place.encryptionKey, folder: folder)
  }

  /// The word is not repeated: it may contain a password.
  private func unknown(_ word: String, _ option: String) -> VerbFailure {
    VerbFailure(
      .usage, "\(option) is neither a folder nor a PostgreSQL database.",
      advice: "Give it sqlite:DIR, postgres://…, or postgres: for \(DatabaseChoice.variable).")
  }
}

/// The output of `move --json`.
private struct ServeMoveReport: Encodable {
  var from: String
  var to: String
  var accounts: Int
  var differences: Int
  var tables: [DatabaseMove.Table]
}

extension DatabaseMove.Overview {
  fileprivate var words: String { "\(accounts.counted("account")) in \(rows.counted("row"))" }
}

extension DatabaseMove.Place {
  /// nil for PostgreSQL.
  fileprivate var folder: String? {
    if case .folder(let path) = self { path } else { nil }
  }
}

extension DatabaseMove.Failure {
  fileprivate var advice: String {
    switch self {
    case .inUse: "Stop all servers on it, and wait for other commands."
    case .occupied: "Give an empty place. After a finished move just start the server there."
    case .otherMove: "Go on with that move, or give an empty place."
    case .encryptedKeys: "Give the file of that key as --encryption-key."
    case .otherKeys: "Give the folder of this server as --data, or move that file away."
    }
  }
}
