import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// Invitation codes for friendship or a mission.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call. A
/// code grants access to whoever has it, so codes are never logged.
public final class InvitationsService: Sendable {
  public static let shared = InvitationsService(client: .shared)

  private let client: ServiceClient
  private let serverHealthService: ServerHealthService
  private let log = RallyLog.logger("Invitations")

  public init(client: SupabaseClient) {
    self.client = client.logging(by: log)
    serverHealthService = ServerHealthService(client: client)
  }

  /// Creates a code for friendship with me, or for a mission that I am in.
  ///
  /// - Parameters:
  ///   - missionID: Nil for friendship.
  ///   - uses: `CreateInvitation.uses`; nil for one.
  ///   - expiresAt: Nil for seven days from now.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func createInvitation(
    missionID: UUID? = nil, uses: Int? = nil, expiresAt: WireTime? = nil, clientID: UUID = UUID()
  ) async throws -> InvitationRecord {
    log.info("createInvitation — mission: \(missionID?.wireText ?? "none")")
    return try await client.call(
      CreateInvitation(
        missionID: missionID, uses: uses, expiresAt: expiresAt), clientID: clientID)
  }

  /// My own codes that are still open, the newest first.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchInvitations(
    limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<InvitationRecord> {
    log.info("fetchInvitations — limit: \(limit), offset: \(offset)")
    return try await client.page(FetchInvitations(limit: limit, offset: offset))
  }

  /// Who of some people came by a code of mine, by username; also by one that is used up now.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchGuests(among usernames: Set<String>) async throws -> [String] {
    log.info("fetchGuests — among: \(usernames.count)")
    let page = try await client.page(
      FetchInvitations(limit: Paging.maximumLimit, withUsedUp: true))
    let guests = Set(page.rows.flatMap(\.guests))
    return usernames.filter(guests.contains).sorted()
  }

  /// What the server says of itself, such as how the group reaches it; nil if it does not answer.
  public func fetchSettings() async -> AuthSettings? {
    try? await serverHealthService.fetchSettings()
  }

  /// What a code offers, before it is accepted.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchInvitation(_ code: InvitationCode) async throws -> InvitationOffer {
    log.info("fetchInvitation")
    return try await client.call(FetchInvitation(code: code))
  }

  /// Accepts a code; accepting it again has no further effect.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func acceptInvitation(
    _ code: InvitationCode, clientID: UUID = UUID()
  ) async throws -> InvitationResult {
    log.info("acceptInvitation")
    return try await client.call(AcceptInvitation(code: code), clientID: clientID)
  }

  /// Revokes one of my own codes; what it gave stays.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func revokeInvitation(_ code: InvitationCode, clientID: UUID = UUID()) async throws {
    log.info("revokeInvitation")
    _ = try await client.call(RevokeInvitation(code: code), clientID: clientID)
  }
}

/// What an invitation's link leads to, known before anybody has an account there.
public struct FoundInvitation: Hashable, Sendable {
  public let code: InvitationCode
  /// The server, with the API key that the code opened.
  public let server: ServerChoice
  /// Who invites, and to what.
  public let invitation: OpenInvitation
}

/// Asks a server what a code gives, without its API key.
///
/// A code gives access to whoever has it, so it is never logged.
public struct InvitationLookup: Sendable {
  /// Why a link leads to no invitation.
  public struct Problem: Error, Hashable, Sendable {
    /// Says what is the matter, and what to ask for.
    public let sentence: String
    /// Whether the same link can lead to one later.
    public let canRetry: Bool
  }

  private let transport: Transport
  private let allowsPlain: Bool
  private let answers = ServerAnswers()
  private let log = RallyLog.logger("Invitations")

  private static let timeout = Duration.seconds(10)

  /// - Parameter allowsPlain: Whether http may be used on a public network too.
  public init(transport: Transport = .live, allowsPlain: Bool = false) {
    self.transport = transport
    self.allowsPlain = allowsPlain
  }

  /// Asks the link's server; where a messenger may have written `http` for `https`, over TLS first.
  ///
  /// - Throws: `Problem`.
  public func find(_ link: InvitationLink) async throws(Problem) -> FoundInvitation {
    guard let url = link.server else {
      throw Problem(sentence: "This code names no server. Ask for the link.", canRetry: false)
    }
    do {
      return try await request(link.code, at: url)
    } catch {
      if let plain = link.plainServer, (error as? NetworkError)?.isOffline == true,
        let found = try? await request(link.code, at: plain)
      {
        return found
      }
      log.info("find — failed: \(error.logLabel)")
      throw Self.problem(error, at: url)
    }
  }

  private func request(_ code: InvitationCode, at url: ServerURL) async throws -> FoundInvitation {
    if !allowsPlain { try await PlainHTTP.require(privacyOf: url) }
    let call = HTTPCall(
      endpoint: .url(url), method: .post, path: InvitationQuestion.path,
      headers: [("Content-Type", "application/json")],
      body: try WireJSON.encode(InvitationQuestion(code: code)), timeout: Self.timeout)
    let invitation = try await answers.send(call, as: .json, over: transport)
      .decoded(OpenInvitation.self)
    return FoundInvitation(
      code: code,
      server: .remote(url, key: invitation.key, allowsPlain: allowsPlain && !url.isSecure),
      invitation: invitation)
  }

  private static func problem(_ error: any Error, at url: ServerURL) -> Problem {
    switch error as? NetworkError {
    case .refused(let failure, _) where failure.reason == .invitationOver:
      Problem(
        sentence: "This invitation has been used. Ask whoever sent it for a new one.",
        canRetry: false)
    case .refused(let failure, _) where failure.reason == .notFound:
      Problem(
        sentence:
          "This invitation is not open: it has ended, or was taken back. Ask whoever sent it"
          + " for a new one.", canRetry: false)
    case .notTheServer(status: 401?), .notTheServer(status: 404?), .invalidKey, .http(status: 404):
      Problem(
        sentence: "\(url) takes no invitations by link. Ask whoever sent it for the API key:"
          + " rally --server \(url) --key KEY", canRetry: false)
    case let network?:
      Problem(sentence: "\(url): \(network.sentence)", canRetry: network.isTransient)
    case nil: Problem(sentence: error.sentence, canRetry: true)
    }
  }
}

extension OpenInvitation {
  /// `@ana invites you: you become friends.`
  public var sentence: String {
    guard let inviter else { return "You are invited to the group on this server." }
    guard let mission else { return "@\(inviter.username) invites you: you become friends." }
    let day = WireTime("\(mission.day)T00:00:00Z").map { " on \(Age.day($0))" } ?? ""
    return "@\(inviter.username) invites you to \(mission.title)\(day)."
  }
}
