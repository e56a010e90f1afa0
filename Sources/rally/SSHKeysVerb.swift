import ArgumentParser
import RallyCommand
import RallyDomain
import RallyText
import RallyWire

/// `AuthorizedKeysCommand` of the SSH door: prints the line of `authorized_keys` for a key that
/// belongs to an account, and nothing for another one.
///
/// `sshd` asks before the person has proved to have the key, so this changes nothing anywhere.
struct SSHKeysVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh-keys", abstract: "Answer sshd whose a key is (AuthorizedKeysCommand).",
    shouldDisplay: false)

  @Option(help: "The file that `rally serve ssh setup` wrote.", completion: .file())
  var door: String
  @Argument(help: "The user that is logged in to (%u).") var user: String
  @Argument(help: "The type of the key (%t).") var type: String
  @Argument(help: "The key in base64 (%k).") var key: String
  @Argument(help: "The fingerprint of the key (%f).") var fingerprint: String?

  func run() async throws {
    guard let key = try? SSHPublicKey(line: "\(type) \(key)") else { return }
    let service = try SSHDoorService(at: door)
    guard let ticket = try await service.ticket(for: key) else { return }
    let program = Setup.executable
    guard program.isPlainPath, door.isPlainPath else {
      throw VerbFailure(
        .failed, "The paths \(program) and \(door) must be absolute, of letters, digits and ._+-")
    }
    Output.say(
      "restrict,pty,command=\"\(program) ssh-session --door \(door) \(ticket.ticket)\" \(key.line)",
      to: 1)
  }
}

extension SSHDoorService {
  /// - Throws: `VerbFailure`.
  init(at path: String) throws(VerbFailure) {
    do {
      let door = try SSHDoorDescription(path: path)
      self.init(door: door, client: door.client())
    } catch {
      let advice = "`rally serve ssh setup` writes it."
      switch error {
      case .unreadable(let reason):
        throw VerbFailure(.failed, "\(path) cannot be read (\(reason)).", advice: advice)
      case .notPrivate:
        throw VerbFailure(
          .failed, "Others can read \(path), which holds a secret.", advice: "chmod 600 \(path)")
      case .damaged: throw VerbFailure(.failed, "\(path) is damaged.", advice: advice)
      }
    }
  }
}
