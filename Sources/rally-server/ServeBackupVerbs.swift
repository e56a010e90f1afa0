import Foundation
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStorage
import RallySystem
import RallyWire

extension ServeBackup: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    if let address = try global.postgres(place) {
      throw try await Self.refusal(
        "PostgreSQL makes its own backups, so nothing was written. This one is made by:",
        place, PostgresDump.of(address, isServed: true).backup(to: file))
    }
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
    if let address = try global.postgres(place) {
      throw try await ServeBackup.refusal(
        "PostgreSQL restores its own backups, so nothing was changed. With all servers stopped:",
        place, PostgresDump.of(address, isServed: false).restore(from: file, replacing: force))
    }
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
    let problems: [String]
    if let address = try global.postgres(place) {
      problems = try await address.explained { try await DatabaseCheck.problems(in: address) }
    } else {
      problems = try global.onData { try DatabaseCheck.problems(in: $0) }
    }
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
  fileprivate var words: String { "\(accounts.counted("account")), \(bytes) bytes" }
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

extension ServeBackup {
  /// Names the command of PostgreSQL. Nothing was done, so that no script takes it for a backup.
  fileprivate static func refusal(
    _ sentence: String, _ place: ServeDatabase, _ command: String
  ) throws -> VerbFailure {
    let keys = place.encryptionKey ?? "server.json in --data"
    return VerbFailure(.usage, sentence, advice: "\(command)\nKeep the keys too: \(keys).")
  }
}

extension PostgresDump {
  fileprivate static func of(
    _ address: PostgresAddress, isServed: Bool
  ) async throws -> PostgresDump {
    try await address.explained { try PostgresDump(address, isServed: isServed) }
  }
}

extension PostgresAddress {
  /// Translates errors of the database to messages.
  fileprivate nonisolated(nonsending) func explained<T>(
    _ body: () async throws -> T
  ) async throws -> T {
    do {
      return try await body()
    } catch {
      throw VerbFailure(of: error, on: .postgres(self, folder: nil)) ?? error
    }
  }
}

extension GlobalOptions {
  /// The database of `--database` or `RALLY_DATABASE`; nil for the data folder.
  fileprivate func postgres(_ place: ServeDatabase) throws -> PostgresAddress? {
    let database = try DatabaseChoice.database(flag: place.database, folder: "")
    guard case .postgres(let address, _) = database else { return nil }
    return address
  }

  /// Runs `body` on the data folder and translates its errors to messages.
  fileprivate func onData<T>(_ body: (String) throws -> T) throws -> T {
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
