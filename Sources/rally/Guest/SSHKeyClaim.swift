import Glibc
import RallyClient
import RallyCommand
import RallyDomain
import RallyText
import RallyWire

/// Asks whose a key is with which nobody came in yet. Whoever adds a public key need not have the
/// other half, so that the first who comes in with it says which account it belongs to.
enum SSHKeyClaim {
  private static let tries = 3

  static let needed = VerbFailure(
    .notSignedIn, "Nobody has come in with this key yet.",
    advice: "Say once whose it is: ssh HOST claim USERNAME")

  /// - Parameter username: As typed in `claim USERNAME`; nil asks on the terminal.
  /// - Throws: `VerbFailure`, `NetworkError`.
  static func settle(
    _ ticket: SSHTicket, as username: String?, at door: SSHDoorService
  ) async throws -> SSHAdmission {
    if let username {
      do {
        return try await door.admission(
          for: SSHTicket(ticket: ticket.ticket, username: username))
      } catch NetworkError.auth {
        throw refused(username)
      }
    }
    guard isatty(0) == 1 else { throw needed }
    let orNew = door.file.takesNewcomers == true ? ", or Enter for a new one" : ""
    Output.say(
      "This key is new here. Accounts that added it wait for the first who comes in with it.", to: 2
    )
    for _ in 0..<tries {
      Output.say("The username of your account\(orNew):", to: 2)
      guard let line = readLine() else { throw needed }
      let name = line.trimmed
      do {
        return try await door.admission(for: SSHTicket(ticket: ticket.ticket, username: name))
      } catch NetworkError.auth {
        Output.say(refused(name).message, to: 2)
      }
    }
    throw needed
  }

  private static func refused(_ username: String) -> VerbFailure {
    VerbFailure(
      .notSignedIn, "No account “\(username.cleanedForDisplay)” has added this key.",
      advice: "Add it where you are signed in: rally ssh-key add FILE.pub")
  }
}
