import FoundationEssentials
import Glibc
import Logging
import RallyClient
import RallySystem
import RallyWire

/// The SSH door of this host: asks its server whose a key is, and for the session of a ticket.
public struct SSHDoorService: Sendable {
  public let file: SSHDoorFile
  /// Where the server is.
  public let server: ServerURL
  private let client: SupabaseClient

  private let log = RallyLog.logger("SSHDoor")

  private static let timeout = Duration.seconds(5)

  public init(door: SSHDoorDescription, client: SupabaseClient) {
    file = door.file
    server = door.server
    self.client = client
  }

  /// The ticket of a key's owner, or of a newcomer where the door takes them; nil for another key
  /// that nobody has.
  ///
  /// - Throws: `NetworkError`.
  public func ticket(for key: SSHPublicKey) async throws -> SSHTicket? {
    let answer = try await request(
      SSHDoorPath.ticket, SSHTicketQuestion(key: key, takesNewcomers: file.takesNewcomers ?? false),
      as: .jsonOrNothing)
    log.info("ticket — found: \(answer.status != 204)")
    if answer.status == 204 { return nil }
    let ticket = try answer.decoded(SSHTicket.self)
    guard ticket.isPlain else { throw NetworkError.invalidResponse }
    return ticket
  }

  /// - Throws: `NetworkError`; `.auth` for a ticket that is over, and for a key that was removed.
  public func admission(for ticket: SSHTicket) async throws -> SSHAdmission {
    log.info("admission")
    return try await request(SSHDoorPath.session, ticket, as: .json).decoded(SSHAdmission.self)
  }

  /// Ends a session on the server, if that can be reached.
  public func end(_ session: AuthSession) async {
    var request = ServerConnection.Request(path: "/auth/v1/logout?scope=local")
    request.success = .nothing
    request.timeout = Self.timeout
    do {
      _ = try await client.configured().send(request, bearer: session.accessToken)
      log.info("end — ended on the server")
    } catch {
      log.info("end — not ended on the server: \(error.logLabel)")
    }
  }

  private func request(
    _ path: String, _ body: some Encodable, as success: ServerAnswers.Success
  ) async throws -> ServerAnswer {
    var request = ServerConnection.Request(path: path)
    request.success = success
    request.body = try WireJSON.encode(body)
    request.timeout = Self.timeout
    do {
      return try await client.configured().send(request, bearer: file.token)
    } catch {
      log.info("\(path) — failed: \(error.logLabel)")
      throw error
    }
  }
}

/// The SSH door of this host as its file describes it.
public struct SSHDoorDescription: Sendable {
  /// Why the door's file cannot be used.
  public enum Problem: ReportableError, Hashable, Sendable {
    case unreadable(String)
    case notPrivate
    case damaged

    public var sentence: String {
      switch self {
      case .unreadable(let reason): "The door's file cannot be read (\(reason))."
      case .notPrivate: "The door's file can be read by others. Give it the mode 0600."
      case .damaged: "The door's file is damaged. Make it again."
      }
    }
  }

  public let file: SSHDoorFile
  /// Where the server is.
  public let server: ServerURL

  /// - Parameter path: Of an `SSHDoorFile` that nobody but its owner can read.
  /// - Throws: `Problem`.
  public init(path: String) throws(Problem) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(String(cString: strerror(errno))) }
    guard status.st_mode & 0o077 == 0 else { throw .notPrivate }
    let data: Data?
    do {
      data = try PrivateFiles.read(path)
    } catch {
      throw .unreadable(error.systemReason)
    }
    guard let data, let file = try? WireJSON.decode(SSHDoorFile.self, from: data),
      let server = try? ServerURL(file.server), file.guests.hasPrefix("/")
    else { throw .damaged }
    self.file = file
    self.server = server
  }

  /// A client of the door's server whose requests count for the door.
  public func client(over transport: Transport = .live) -> SupabaseClient {
    SupabaseClient(
      tokens: nil, transport: transport.adding(header: SSHDoorPath.header, file.token)
    ) { [server, key = file.apiKey] in
      ServerAddress(endpoint: .url(server), key: key)
    }
  }
}

/// The connections that one guest of an SSH door has at a time: each holds a file of the guest's
/// folder until its process ends, however that happens.
public enum SSHGuestPlaces {
  public static let count = 8

  /// Takes a place for as long as this process lives.
  ///
  /// - Parameter folder: The guest's own; made if it is missing.
  /// - Returns: False if all are taken.
  /// - Throws: `FileError`.
  public static func take(in folder: String) throws(FileError) -> Bool {
    try PrivateFiles.makeFolder(folder)
    for number in 1...count {
      let path = "\(folder)/connection-\(number)"
      do throws(POSIXError) {
        _ = try FileLock.take(path, LOCK_EX | LOCK_NB, flags: O_RDWR | O_CREAT)
        return true
      } catch {
        guard error.code == .EWOULDBLOCK else { throw FileError(path, error) }
      }
    }
    return false
  }
}
