import FoundationEssentials
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
    let answer = try await ask(
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
    return try await ask(SSHDoorPath.session, ticket, as: .json).decoded(SSHAdmission.self)
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

  private func ask(
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
