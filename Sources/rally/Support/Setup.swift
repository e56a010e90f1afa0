import Foundation
import RallyDomain
import RallyWire

/// What the flags, the environment, the configuration and the profile's memory come to.
struct Setup {
  let folders: RallyFolders
  let configuration: Configuration
  let configurationProblems: [ConfigurationProblem]
  let server: ServerChoice
  /// Whether this profile signed in to some server before.
  let hasSignedInBefore: Bool

  /// The running program, which can also serve.
  static var executable: String { ProcessInfo.processInfo.arguments.first.map(resolve) ?? "rally" }

  /// - Throws: `FieldProblem` for a profile or a server that cannot be.
  init(_ global: GlobalOptions) async throws {
    let environment = ProcessInfo.processInfo.environment
    let folders = try RallyFolders(data: global.data, profile: global.profile)
    let configurationService = ConfigurationService(file: folders.configFile)
    let (configuration, problems) = configurationService.load()
    self.folders = folders
    self.configuration = configuration
    configurationProblems = problems
    let memory = ServerMemoryService(folders: folders)
    let remembered = try await memory.chosen()
    hasSignedInBefore = remembered != nil
    if let typed = global.server ?? environment["RALLY_SERVER"] {
      let url = try ServerURL(typed)
      let given = global.key ?? environment["RALLY_KEY"]
      let known = try await memory.key(of: url)
      guard let key = given ?? known else {
        throw VerbFailure(
          .usage, "The server \(url) needs its API key.",
          advice: "Give it with --key; `rally serve` prints it.")
      }
      server = .remote(url, key: key)
    } else if let remembered {
      server = remembered
    } else if let url = configuration.serverURL {
      guard let key = try configurationService.serverKey(of: configuration) else {
        throw VerbFailure(
          .usage, "The configuration names a server but no key_file.",
          advice: "Add key_file below [server] in \(folders.configFile).")
      }
      server = .remote(url, key: key)
    } else {
      server = .embedded
    }
  }

  /// The program's path as the kernel knows it, so that a relative start keeps working.
  private static func resolve(_ argument: String) -> String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? argument
  }
}
