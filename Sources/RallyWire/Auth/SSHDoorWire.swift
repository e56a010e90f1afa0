import RallyText

/// What the SSH door of a host and its server say to each other, under `/auth/v1/ssh`. The door
/// shows its own token, which `rally serve ssh setup` makes, as the bearer.
public enum SSHDoorPath {
  public static let ticket = "/auth/v1/ssh/ticket"
  public static let session = "/auth/v1/ssh/session"
  /// The header of a guest's requests, with the door's token: they count for the door.
  public static let header = "Rally-Door"
}

/// Asks who a key belongs to. Nothing is stored: nobody has proved to have the key yet.
public struct SSHTicketQuestion: Hashable, Sendable, Codable {
  /// As `SSHPublicKey.line`.
  public var key: String
  /// Whether a key that nobody has gets a ticket for making an account.
  public var takesNewcomers: Bool?

  public init(key: SSHPublicKey, takesNewcomers: Bool = false) {
    self.key = key.line
    self.takesNewcomers = takesNewcomers
  }

  enum CodingKeys: String, CodingKey {
    case key
    case takesNewcomers = "newcomers"
  }
}

/// What a ticket opens: the session of an account, the sign-up for a key that nobody has, or the
/// question whose a key is.
public enum SSHAdmission: Hashable, Sendable, Codable {
  case account(AuthSession)
  /// As `SSHPublicKey.line`; sshd has seen that the person has the key, which `proof` says to
  /// `AddSSHKey`.
  case newcomer(key: String, proof: String)
  /// Accounts have added the key and nobody has come in with it: the person names theirs with this
  /// ticket.
  case unclaimed(SSHTicket)

  private enum CodingKeys: String, CodingKey { case session, key, proof, unclaimed }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let session = try container.decodeIfPresent(AuthSession.self, forKey: .session) {
      self = .account(session)
    } else if let ticket = try container.decodeIfPresent(SSHTicket.self, forKey: .unclaimed) {
      self = .unclaimed(ticket)
    } else {
      self = .newcomer(
        key: try container.decode(String.self, forKey: .key),
        proof: try container.decode(String.self, forKey: .proof))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .account(let session): try container.encode(session, forKey: .session)
    case .newcomer(let key, let proof):
      try container.encode(key, forKey: .key)
      try container.encode(proof, forKey: .proof)
    case .unclaimed(let ticket): try container.encode(ticket, forKey: .unclaimed)
    }
  }
}

/// A signed statement that a key belongs to an account, good for 30 seconds.
public struct SSHTicket: Hashable, Sendable, Codable {
  public var ticket: String
  /// Of the account that added the key, for one with which nobody came in yet; empty for none.
  public var username: String?

  public init(ticket: String, username: String? = nil) {
    self.ticket = ticket
    self.username = username
  }

  /// Whether it can stand in a line of `authorized_keys` and on a command line as it is: base64url
  /// and dots, as all tokens of the server.
  public var isPlain: Bool {
    !ticket.isEmpty && ticket.utf8.count <= 4096
      && ticket.utf8.allSatisfy { $0.isAlphanumeric(or: "_-.") }
  }
}

/// What the door keeps in a private file: where its server is, and how it proves itself there.
public struct SSHDoorFile: Hashable, Sendable, Codable {
  /// The server as the host reaches it.
  public var server: String
  public var apiKey: String
  public var token: String
  /// Absolute; the folder with the guests' private folders.
  public var guests: String
  /// Whether people whose key nobody has may make an account, where the server lets them.
  public var takesNewcomers: Bool?

  public init(
    server: String, apiKey: String, token: String, guests: String, takesNewcomers: Bool = false
  ) {
    self.server = server
    self.apiKey = apiKey
    self.token = token
    self.guests = guests
    self.takesNewcomers = takesNewcomers
  }

  enum CodingKeys: String, CodingKey {
    case server, token, guests
    case apiKey = "api_key"
    case takesNewcomers = "newcomers"
  }
}
