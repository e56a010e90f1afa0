import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallyText
import RallyWire
import TerminalNcurses

/// The forced command of the SSH door: what a guest gets instead of a shell.
struct SSHSessionVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh-session", abstract: "Serve somebody whom sshd let in.",
    shouldDisplay: false)

  @Option(help: "The file that `rally serve ssh setup` wrote.", completion: .file())
  var door: String
  @Argument(help: "What `rally ssh-keys` gave for the key.") var ticket: String

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let command = try GuestCommand(environment["SSH_ORIGINAL_COMMAND"])
    // What cannot be read begins no session.
    let verb = try command.words.map { try Rally.parseAsRoot($0) }
    let service = try SSHDoorService(at: door)
    var admission = try await service.admission(for: SSHTicket(ticket: ticket))
    if case .unclaimed(let open) = admission {
      guard command.words == nil else { throw SSHKeyClaim.needed }
      admission = try await SSHKeyClaim.settle(open, as: command.claimant, at: service)
    }
    let guest = try Guest(admission, at: service)
    try await Guest.$current.withValue(guest) {
      switch command {
      case .interface(let isPlain):
        try guest.takePlace()
        let options = try GlobalOptions.parse(isPlain ? ["--plain"] : [])
        await Self.chooseTerminalType(environment["TERM"] ?? "")
        try await StartInterface(global: options).run()
      case .claim:
        guard let session = guest.session else { throw SSHKeyClaim.needed }
        await service.end(session)
        Output.say("This key comes in as your account.", to: 1)
      case .verb:
        guard let session = guest.session else {
          throw VerbFailure(
            .notSignedIn, "This key belongs to no account here yet.",
            advice: "Connect without a command to make one.")
        }
        let result = await Self.perform(verb, for: guest)
        await service.end(session)
        try result.get()
      }
    }
  }

  @concurrent private static func perform(
    _ verb: (any ParsableCommand)?, for guest: Guest
  ) async -> Result<Void, any Error> {
    guard var command = verb else { return .success(()) }
    do {
      try guest.takePlace()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// A terminal that this host has no description of is most likely one of the xterm family.
  @MainActor private static func chooseTerminalType(_ type: String) {
    guard type != "dumb", !type.isEmpty else { return }
    do throws(TerminalError) {
      try NcursesTerminal.require(type: type)
    } catch {
      setenv("TERM", "xterm-256color", 1)
    }
  }
}

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
