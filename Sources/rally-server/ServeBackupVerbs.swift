import ArgumentParser
import Foundation
import RallyDomain
import RallyServer
import RallyWire

struct ServeBackup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write everything of a server into one file.",
    discussion: """
      Works beside a running server and holds nobody up. The file has the database as it was at \
      one moment and the server's keys, so keep it as safe as the server.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The file to write.", completion: .file()) var file: String
  @Flag(help: "Replace a file of this name.") var force = false

  func run() async throws {
    let output = Output(options: global)
    let summary = try global.onData { folder in
      try ServerBackup.make(of: folder, to: file, replacing: force)
    }
    if global.json { return try output.json(summary) }
    output.message("Wrote \(summary.file): \(summary.words).")
  }
}

struct ServeRestore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a server's data folder from a backup.",
    discussion: """
      The server must not run. A database that is there already stays beside the new one as \
      rally.db.replaced, and its keys as server.json.replaced.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "A file that `rally serve backup` wrote.", completion: .file()) var file: String
  @Flag(help: "Put it in the place of the database that is there.") var force = false

  func run() async throws {
    let output = Output(options: global)
    let summary = try global.onData { folder in
      try ServerBackup.restore(file, into: folder, replacing: force)
    }
    if global.json { return try output.json(summary) }
    output.message("Restored \(summary.file): \(summary.words), as of \(summary.madeAt).")
  }
}

struct ServeCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Look a server's database over for damage.",
    discussion: "Works beside a running server. Ends with 1 when something is wrong.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
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
    case .exists, .occupied: "Say --force to replace it."
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
        advice: "Use pg_dump and its kin for PostgreSQL.")
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
