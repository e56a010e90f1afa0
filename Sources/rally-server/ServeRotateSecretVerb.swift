import Foundation
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallySystem

extension ServeRotateSecretVerb: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let folder = try RallyFolders(data: global.data, profile: global.profile).data
    if let (address, key) = try DatabaseChoice.vault(
      place, environment: ProcessInfo.processInfo.environment, folder: folder)
    {
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
