import Logging
import RallyEnvironment

/// Removes an account's data from this machine: the operations that cannot be undone.
public final class AccountMaintenanceService: Sendable {
  private let authService: AuthService
  private let ghostService: GhostService
  private let draftKeeper: DraftKeeper
  private let editorService: EditorService
  private let currentLocationProvider: CurrentLocationProvider
  private let privacyRulesStore: PrivacyRulesStore
  private let interfaceMemory: InterfaceMemory
  private let cache: PersistenceService
  private let locationState: PersistenceService
  private let log = RallyLog.logger("AccountMaintenance")

  /// - Parameters:
  ///   - cache: What stores cached for the next first frame.
  ///   - locationState: Positions, zones and hours, alerts, the record of ghost mode, queued check-ins and
  ///     which lines of missions were seen.
  public init(
    authService: AuthService, ghostService: GhostService, draftKeeper: DraftKeeper,
    editorService: EditorService, currentLocationProvider: CurrentLocationProvider,
    privacyRulesStore: PrivacyRulesStore, interfaceMemory: InterfaceMemory,
    cache: PersistenceService, locationState: PersistenceService
  ) {
    self.authService = authService
    self.ghostService = ghostService
    self.draftKeeper = draftKeeper
    self.editorService = editorService
    self.currentLocationProvider = currentLocationProvider
    self.privacyRulesStore = privacyRulesStore
    self.interfaceMemory = interfaceMemory
    self.cache = cache
    self.locationState = locationState
  }

  /// Signs out here at once, and on the server if it can be reached; deletes the account's files.
  ///
  /// A pending ghost mode is sent once more, for 3 s at most, and kept for the next sign-in if that
  /// fails.
  ///
  /// - Throws: `SignOutProblem.ghostPending` if friends may still see a position, else `.sessionLeft`
  ///   if the server still knows the session; `FileError` if a file could not be deleted.
  public func signOut() async throws {
    let userID = await authService.currentUserID
    await finishGhost(within: .seconds(3))
    let isGhostPending = await ghostService.isPending()
    let isEnded = try await authService.signOut()
    guard let userID else { return }
    editorService.forget()
    // One file that cannot be deleted keeps no other.
    var failure: (any Error)?
    func attempt(_ delete: () async throws -> Void) async {
      do { try await delete() } catch { failure = failure ?? error }
    }
    await attempt { try await draftKeeper.forget(userID: userID) }
    for key in [
      SocialSnapshot.key, MapSnapshot.key, SharingSnapshot.key, MissionsSnapshot.key,
      ClientStatus.key,
    ] {
      await attempt { try await cache.delete(withKey: key(userID)) }
    }
    for key in [
      await CheckInQueue.key(userID: userID), TalkReading.key(userID: userID),
      AlertsStore.key(userID: userID), OnceToldFile.key(userID: userID),
    ] {
      await attempt { try await locationState.delete(withKey: key) }
    }
    await attempt { try await currentLocationProvider.forget(userID: userID) }
    await attempt { try await privacyRulesStore.forget(userID: userID) }
    await attempt { try await interfaceMemory.forget() }
    await attempt { try await locationState.deleteSetAside(of: userID) }
    if let failure { throw failure }
    log.info("signOut — files deleted, ghost pending: \(isGhostPending)")
    if isGhostPending { throw SignOutProblem.ghostPending }
    if !isEnded { throw SignOutProblem.sessionLeft }
  }

  private func finishGhost(within limit: Duration) async {
    guard await ghostService.isPending() else { return }
    await withTaskGroup(of: Void.self) { [ghostService] group in
      // Whether it is still pending is asked and told afterwards.
      group.addTask { _ = try? await ghostService.complete() }
      group.addTask { try? await DispatchSleep.for(limit) }
      await group.next()
      group.cancelAll()
    }
  }
}
