import Foundation
import RallyCommand
import RallyDomain
import RallyServer
import RallyWire

extension ServeBackup: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let summary = try global.onData { folder in
      try ServerBackup.make(of: folder, to: file, replacing: force)
    }
    if global.json { return try output.json(summary) }
    output.message("Wrote \(summary.file): \(summary.words).")
  }
}

extension ServeRestore: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let summary = try global.onData { folder in
      try ServerBackup.restore(file, into: folder, replacing: force)
    }
    if global.json { return try output.json(summary) }
    output.message("Restored \(summary.file): \(summary.words), as of \(summary.madeAt).")
  }
}

extension ServeCheck: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let problems = try global.onData { try DatabaseCheck.problems(in: $0) }
    if global.json {
      try output.json(["problems": problems])
    } else {
      for problem in problems { output.data(problem) }
    }
    guard problems.isEmpty else {
      throw VerbFailure(
        .failed, "The database is damaged.", advice: "Restore the latest good backup.")
    }
    output.message("The database is sound.")
  }
}

extension ServerBackup.Summary {
  fileprivate var words: String {
    "\(accounts.counted("account")), \(bytes) bytes"
  }
}

extension ServerBackup.Failure {
  fileprivate var advice: String {
    switch self {
    case .exists, .occupied: "Use --force to replace it."
    case .noFolder: "Make it, or give another file."
    case .noFile: "Give a file that `rally serve backup` wrote."
    case .notABackup, .damaged: "Take another file."
    }
  }
}

extension GlobalOptions {
  /// Runs `body` on the data folder and translates its errors to messages.
  fileprivate func onData<T>(_ body: (String) throws -> T) throws -> T {
    guard ProcessInfo.processInfo.environment[DatabaseChoice.variable]?.isEmpty ?? true else {
      throw VerbFailure(
        .usage, "This is for a database in a data folder, and \(DatabaseChoice.variable) is set.",
        advice: "Use pg_dump and pg_restore for PostgreSQL.")
    }
    let folder = try RallyFolders(data: data, profile: profile).data
    do {
      return try body(folder)
    } catch let failure as ServerBackup.Failure {
      throw VerbFailure(.failed, failure.description, advice: failure.advice)
    } catch {
      throw VerbFailure(of: error, on: .folder(folder))
        ?? VerbFailure(.failed, "The files cannot be used: \(error).")
    }
  }
}
