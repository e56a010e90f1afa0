import ArgumentParser
import RallyDomain
import RallyServer

/// Replaces the secret that signs tokens, in case it has leaked.
struct ServeRotateSecretVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-secret", abstract: "Exchange the secret that signs tokens.",
    discussion: """
      Nobody is signed out: tokens of the old secret stay good until they end. The API key does \
      not change. A server that runs on the same --data takes the new secret at once.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
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
