import Foundation
import Logging
import RallyEnvironment
import RallyText
import RallyWire

/// Codes that make friends or bring people into a mission.
///
/// Every mutation carries a client id: repeating it with the same one has the effect of one call. A
/// code opens something for whoever has it, so none is ever logged.
public final class InvitationsService: Sendable {
  public static let shared = InvitationsService(client: .shared)

  private let client: SupabaseClient
  private let log = RallyLog.logger("Invitations")

  public init(client: SupabaseClient) { self.client = client }

  /// Makes a code for friendship with me, or for a mission that I am in.
  ///
  /// - Parameters:
  ///   - missionID: Nil for friendship.
  ///   - uses: `CreateInvitation.uses`; nil for one.
  ///   - expiresAt: Nil for seven days from now.
  public func createInvitation(
    missionID: UUID? = nil, uses: Int? = nil, expiresAt: WireTime? = nil, clientID: UUID = UUID()
  ) async throws -> InvitationRecord {
    log.info("createInvitation — mission: \(missionID?.wireText ?? "none")")
    return try await client.call(
      CreateInvitation(
        missionID: missionID, uses: uses, expiresAt: expiresAt, clientID: clientID))
  }

  /// My own codes that are still open, the newest first.
  public func fetchInvitations(
    limit: Int = Paging.defaultLimit, offset: Int = 0
  ) async throws -> Page<InvitationRecord> {
    log.info("fetchInvitations — limit: \(limit), offset: \(offset)")
    return try await client.page(FetchInvitations(limit: limit, offset: offset))
  }

  /// What a code gives, before it is accepted.
  public func fetchInvitation(_ code: InvitationCode) async throws -> InvitationOffer {
    log.info("fetchInvitation")
    return try await client.call(FetchInvitation(code: code))
  }

  public func acceptInvitation(
    _ code: InvitationCode, clientID: UUID = UUID()
  ) async throws -> InvitationResult {
    log.info("acceptInvitation")
    return try await client.call(AcceptInvitation(code: code, clientID: clientID))
  }

  /// Takes back one of my own codes; what it gave stays.
  public func revokeInvitation(_ code: InvitationCode, clientID: UUID = UUID()) async throws {
    log.info("revokeInvitation")
    _ = try await client.call(RevokeInvitation(code: code, clientID: clientID))
  }

  /// Makes the calls that an invitation on its way needs, until the task ends.
  @MainActor
  public func follow(_ coordinator: SharingCoordinator) async {
    await withDiscardingTaskGroup { group in
      for await directive in coordinator.directives() {
        // A slow answer to one code must not hold up the next one.
        group.addTask { await self.carryOut(directive, for: coordinator) }
      }
    }
  }

  @MainActor
  private func carryOut(
    _ directive: SharingDirective, for coordinator: SharingCoordinator
  ) async {
    switch directive {
    case .read(let code):
      do {
        coordinator.received(try await fetchInvitation(code))
      } catch {
        coordinator.failed(code, error)
      }
    case .accept(let code, let clientID):
      do {
        coordinator.received(try await acceptInvitation(code, clientID: clientID), of: code)
      } catch {
        coordinator.failed(code, error)
      }
    }
  }
}

private struct InvitationsServiceKey: EnvironmentKey {
  static var defaultValue: InvitationsService { .shared }
}

extension EnvironmentValues {
  public var invitationsService: InvitationsService {
    get { self[InvitationsServiceKey.self] }
    set { self[InvitationsServiceKey.self] = newValue }
  }
}
