import Foundation
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallySystem
import RallyText
import RallyWire

extension ServeSSHSetup: PerformedVerb {
  func perform() async throws {
    let output = Output(options: global)
    let data = try RallyFolders(data: global.data, profile: global.profile).data
    let door = try SSHDoorSetup(self, executable: Self.client)
    try door.requireOtherUser(than: data)
    let credentials: SSHDoorCredentials
    do {
      if let (address, key) = try DatabaseChoice.vault(place, folder: data) {
        credentials = try await SSHDoorCredentials(database: address, encryptionKey: key)
      } else {
        credentials = try SSHDoorCredentials(folder: data)
      }
    } catch let failure as VerbFailure {
      throw failure
    } catch {
      throw VerbFailure(of: error, on: .folder(data)) ?? VerbFailure(.failed, "\(error)")
    }
    do {
      for kept in try door.write(credentials, replacing: force) {
        output.message("\(kept) was there and stays; --force writes it anew.")
      }
    } catch let error as VerbFailure {
      throw error
    } catch {
      throw VerbFailure(
        .failed, "\(door.folder) cannot be written (\(error.systemReason)).",
        advice: "Give another folder with --into, or run this as root.")
    }
    output.data(door.configFile)
    output.message(door.nextSteps)
  }

  /// `rally`, which this process was before it became the server's program.
  private static var client: String {
    let own =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    let folder = own.parentPath
    let beside = "\(folder)/rally"
    return FileManager.default.isExecutableFile(atPath: beside)
      ? beside : "\(folder.parentPath)/bin/rally"
  }
}
