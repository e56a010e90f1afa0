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
