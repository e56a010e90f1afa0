import ArgumentParser
import Foundation
import RallyCommand
import RallyRules
import RallyServer
import RallyStorage
import RallyWire

/// The program `rally-server`: what `rally serve` becomes, the embedded server and the demo.
///
/// It reads the arguments that were given to `rally`, and speaks of itself by that name.
@main
struct ServerProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rally",
    abstract: "The server of Rally, which `rally serve` starts.",
    version: "rally \(RallyVersion.current)",
    subcommands: [ServeVerb.self, DemoWorldVerb.self])

  /// They may stand before the verb too.
  @OptionGroup var global: GlobalOptions

  @MainActor static func main() async {
    // Files that this program creates are private to their owner.
    umask(0o077)
    do {
      var command = try parseAsRoot()
      guard let verb = command as? any PerformedVerb else { return try command.run() }
      try verb.prepare()
      try await verb.perform()
    } catch {
      Output.finish(with: error, parser: ServerProgram.self)
    }
  }
}

/// A verb with what it does.
protocol PerformedVerb: ServerVerb {
  /// What has to happen on the main thread, before other threads start.
  func prepare() throws
  func perform() async throws
}

extension PerformedVerb {
  func prepare() throws {}
}

extension VerbFailure {
  /// Why the files of a server cannot be used, and what to do about it; nil for an error about
  /// something else.
  init?(of error: any Error, on database: ServerConfiguration.Database) {
    switch error {
    case let failure as DataFolderFailure:
      self.init(.failed, failure.description, advice: failure.advice)
    case let failure as KeyVaultFailure:
      self.init(.failed, failure.description)
    case let failure as AuditLog.Failure:
      self.init(.failed, failure.description, advice: Self.lookAtRights)
    case let failure as DataFolderLock.Failure:
      self.init(.failed, failure.description, advice: failure.advice)
    default:
      switch database {
      case .folder(let folder):
        guard let failure = ExistingDatabase.Failure(error, in: folder) else { return nil }
        self.init(.failed, failure.description, advice: failure.advice)
      case .postgres:
        guard let sentence = PostgresAddress.sentence(on: error) else { return nil }
        self.init(.failed, sentence)
      case .inMemory: return nil
      }
    }
  }
}

extension DataFolderFailure {
  fileprivate var advice: String? {
    switch self {
    case .cannotUse: VerbFailure.lookAtRights
    case .noServer: "Give the server's folder as --data."
    case .unreadableKeys, .damagedKeys, .missingKeys: nil
    }
  }
}

extension DataFolderLock.Failure {
  fileprivate var advice: String {
    switch self {
    case .held: "Stop it, or give another --data."
    case .system: VerbFailure.lookAtRights
    }
  }
}

extension ExistingDatabase.Failure {
  fileprivate var advice: String? {
    switch self {
    case .missing: "Give the server's folder as --data."
    case .older: nil
    case .newer: "Run a Rally as new as the one that made it."
    case .damaged:
      "`rally serve check` says more; `rally serve restore FILE --force` puts a backup there."
    case .halfMoved: "Run `rally serve move` again, as you began it."
    case .unusable: VerbFailure.lookAtRights
    }
  }
}
