import FoundationEssentials
import Glibc
import Logging
import RallyClient
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

/// The person whom `sshd` let in on this host, for the time of their connection.
///
/// Only `SSHSessionVerb` makes one. Its profile lies in a private folder of its own; the session
/// stays in memory.
struct Guest: Sendable {
  /// Who it is.
  enum Identity: Sendable {
    case account(AuthSession)
    /// Somebody whose key belongs to the account that they make, or sign in to.
    case newcomer(SSHPublicKey, proof: String)
  }

  let folders: RallyFolders
  let server: ServerChoice
  /// Its requests count for the door and not for this host's address.
  let transport: Transport
  let identity: Identity

  /// Nil for the owner of this host's account.
  @TaskLocal static var current: Guest?

  /// - Throws: `FieldProblem` for a key that is none; `VerbFailure` for one that nobody claimed.
  init(_ admission: SSHAdmission, at door: SSHDoorService) throws {
    let name: String
    switch admission {
    case .account(let session):
      identity = .account(session)
      name = session.user.id.wireText
    case .newcomer(let key, let proof):
      identity = .newcomer(try SSHPublicKey(line: key), proof: proof)
      name = "new-\(UUID().wireText)"
    case .unclaimed: throw SSHKeyClaim.needed
    }
    folders = try RallyFolders(data: "\(door.file.guests)/\(name)", environment: [:])
    server = .remote(door.server, key: door.file.apiKey, allowsPlain: true)
    transport = Transport.live.adding(header: SSHDoorPath.header, door.file.token)
  }

  /// Takes one of the person's connections until this process ends.
  ///
  /// - Throws: `VerbFailure` where there is none left, or the guests' folder cannot be used.
  func takePlace() throws(VerbFailure) {
    let isTaken: Bool
    do {
      isTaken = try SSHGuestPlaces.take(in: folders.data)
    } catch {
      throw VerbFailure(.failed, "\(error.path) cannot be used (\(error.reason)).")
    }
    guard isTaken else {
      throw VerbFailure(
        .failed, "You have \(SSHGuestPlaces.count) connections here already.",
        advice: "Close one of them.")
    }
  }

  /// Nil for a newcomer.
  var session: AuthSession? { if case .account(let session) = identity { session } else { nil } }

  /// Gives the account that a newcomer made or signed in to their key.
  @MainActor
  func addKey(with services: AppServices) async {
    guard case .newcomer(let key, let proof) = identity else { return }
    let name = "\(key.type) \(WireTime.now.description.prefix(16))"
    do {
      _ = try await services.sshKeysService.addKey(key, name: String(name.prefix(40)), proof: proof)
    } catch {
      RallyLog.logger("SSHKeys").error("addKey — failed: \(type(of: error))")
    }
  }

  /// Ends the session on the server, and removes what a newcomer's folder has.
  func leave(_ authService: AuthService) async {
    _ = try? await authService.signOut()
    guard case .newcomer = identity else { return }
    try? FileManager.default.removeItem(atPath: folders.data)
  }
}

/// What a guest asks for in `SSH_ORIGINAL_COMMAND`: `ssh rally@host where --json`.
///
/// Only verbs about the guest's own account are taken, and of their options
/// those that name no file, no folder and no server. No shell ever reads it.
enum GuestCommand: Hashable {
  /// The interface; `--plain` draws it without frames.
  case interface(isPlain: Bool)
  /// Says whose the key is, of a username, with which nobody came in yet.
  case claim(String)
  /// Arguments of `rally`.
  case verb([String])

  /// Nil for the interface.
  var words: [String]? { if case .verb(let words) = self { words } else { nil } }

  var claimant: String? { if case .claim(let username) = self { username } else { nil } }

  private static let everywhere: Set = [
    "--json", "--quiet", "-q", "--plain", "--color", "--help", "-h",
  ]
  /// Verbs with their subcommands, the one that stands for the verb alone first, and the options of
  /// each.
  private static let allowed: [String: KeyValuePairs<String, Set<String>>] = [
    "whoami": ["": []],
    "where": ["": []],
    "feed": ["": ["--follow", "--limit"]],
    "tell": ["": ["--first"]],
    "friends": [
      "list": ["--filter"], "requests": ["--incoming", "--outgoing"], "search": ["--limit"],
      "blocked": [],
    ],
    "missions": [
      "list": ["--scope", "--near", "--radius", "--first"], "show": [], "coming": [],
      "calendar": [],
    ],
  ]

  /// - Parameter text: nil or empty for none.
  /// - Throws: `VerbFailure` with `usage`, which names what is not done here.
  init(_ text: String?) throws(VerbFailure) {
    var words = try Self.words(of: text ?? "")
    guard let verb = words.first else {
      self = .interface(isPlain: false)
      return
    }
    guard words != ["--plain"] else {
      self = .interface(isPlain: true)
      return
    }
    if words.count == 2, verb == "claim", !words[1].hasPrefix("-") {
      self = .claim(words[1])
      return
    }
    guard let subcommands = Self.allowed[verb], let standard = subcommands.first else {
      throw Self.refusal(verb)
    }
    var options = standard.value
    if !standard.key.isEmpty {
      if words.count == 1 || words[1].hasPrefix("-") { words.insert(standard.key, at: 1) }
      guard let named = subcommands.first(where: { $0.key == words[1] }) else {
        throw Self.refusal("\(verb) \(words[1])")
      }
      options = named.value
    }
    for word in words where word.hasPrefix("-") {
      let name = String(word.prefix { $0 != "=" })
      guard options.contains(name) || Self.everywhere.contains(name) else {
        throw Self.refusal("the option \(name)")
      }
    }
    self = .verb(words)
  }

  /// Words of letters, digits and a few marks between blanks: whatever a shell would read as more
  /// than a word is refused, and so are paths.
  private static func words(of text: String) throws(VerbFailure) -> [String] {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
        || " @._,:=+-".contains(
          Character($0))
    }
    guard isPlain, text.utf8.count <= 1024 else {
      throw VerbFailure(
        .usage, "That is no command of Rally's: write plain words, like where --json.",
        advice: advice)
    }
    return text.split(separator: " ").map(String.init)
  }

  private static func refusal(_ what: String) -> VerbFailure {
    VerbFailure(.usage, "Over SSH there is no “\(what)”.", advice: advice)
  }

  private static let advice =
    "There are whoami, where, friends, missions, feed, tell and claim; without a command Rally opens."
}

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
