import FoundationEssentials
import Logging
import RallyClient
import RallyEnvironment
import RallyState
import RallySystem

/// Removes an account's data, from this machine or for good: the operations that cannot be undone.
public final class AccountMaintenanceService: Sendable {
  private let authService: AuthService
  private let ghostService: GhostService
  private let files: [any AccountFile]
  private let log = RallyLog.logger("AccountMaintenance")

  /// - Parameter files: What is deleted at a sign-out, in this order.
  public init(
    authService: AuthService, ghostService: GhostService, files: [any AccountFile]
  ) {
    self.authService = authService
    self.ghostService = ghostService
    self.files = files
  }

  /// Signs out here at once, and on the server if it can be reached; deletes the account's files.
  ///
  /// A pending ghost mode is sent once more, for 3 s at most, and kept for the next sign-in if that
  /// fails.
  ///
  /// - Throws: `SignOutProblem.ghostPending` if friends may still see a position, else
  ///   `.sessionLeft` if the server still accepts the session; `FileError` if a file could not be
  ///   deleted.
  public func signOut() async throws {
    let userID = await authService.currentUserID
    await finishGhost(within: .seconds(3))
    let isGhostPending = await ghostService.isPending()
    let isEnded = try await authService.signOut()
    guard let userID else { return }
    try await deleteFiles(of: userID)
    log.info("signOut — files deleted, ghost pending: \(isGhostPending)")
    if isGhostPending { throw SignOutProblem.ghostPending }
    if !isEnded { throw SignOutProblem.sessionLeft }
  }

  /// Deletes my account with everything of mine on the server, for good, and the account's files here.
  ///
  /// - Throws: `AuthError` if the server did not delete it; then nothing has changed. `FileError` if it
  ///   did and a file could not be deleted.
  public func deleteAccount(password: String) async throws {
    let userID = await authService.currentUserID
    try await authService.deleteAccount(password: password)
    if let userID { try await deleteFiles(of: userID) }
    log.info("deleteAccount — done")
  }

  @concurrent private func deleteFiles(of userID: UUID) async throws {
    // One file that cannot be deleted keeps no other.
    var failure: (any Error)?
    for file in files {
      do { try await file.forget(userID: userID) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private func finishGhost(within limit: Duration) async {
    guard await ghostService.isPending() else { return }
    await withTaskGroup(of: Void.self) { [ghostService] group in
      // Whether it is still pending is looked up and reported afterwards.
      group.addTask { _ = try? await ghostService.complete() }
      group.addTask { try? await DispatchSleep.for(limit) }
      await group.next()
      group.cancelAll()
    }
  }
}

/// What this machine keeps of an account, and deletes when its owner signs out.
public protocol AccountFile: Sendable {
  /// - Throws: `FileError` if it could not be deleted.
  func forget(userID: UUID) async throws
}

/// The files of an account in a folder, whichever feature wrote them.
struct AccountFolder: AccountFile {
  let persistenceService: PersistenceService
  /// The key of the file that stays; nil for none.
  var keptKey: (@Sendable (_ userID: UUID) -> String)?

  func forget(userID: UUID) async throws {
    try await persistenceService.deleteAll(of: userID, exceptKey: keptKey?(userID))
  }
}

/// This user's session ended without a sign-out: revoked, expired or banned.
public struct SessionEnded: BroadcastMessage {
  public let id = UUID()
  public let name = "Session Ended"
  public let originatingFrom: any StoreProtocol
  public let userID: UUID?
}

/// The user signed in or signed up.
public struct AccountChanged: BroadcastMessage {
  public let id = UUID()
  public let name = "Account Changed"
  public let originatingFrom: any StoreProtocol
  /// Nil after signing out.
  public let userID: UUID?
}

/// What failed while signing out; the user is signed out on this machine all the same.
public enum SignOutProblem: ReportableError, Hashable, Sendable {
  /// Ghost mode could not be sent to the server; it is sent after the next sign-in on this machine.
  case ghostPending
  /// The session could not be ended on the server: whoever has a copy of it can go on with it.
  case sessionLeft

  public var sentence: String {
    switch self {
    case .ghostPending:
      "Signed out, but friends may still see where you were: the server was not reached."
        + " Sign in again to take it back."
    case .sessionLeft:
      "Signed out on this machine, but the server was not reached and still knows this session."
        + " If somebody may have a copy of it, sign in and set a new password: that ends it."
    }
  }
}
