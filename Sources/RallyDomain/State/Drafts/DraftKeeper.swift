import FoundationEssentials
import Logging
import RallyWire

/// Keeps what was typed and not sent on this machine (0600 in the profile's state folder), so that
/// a crash loses nothing.
public actor DraftKeeper {
  /// Everything of one person that is not sent, by the form it belongs to.
  private struct Kept: Codable, Sendable {
    var missions: [String: MissionForm] = [:]
  }

  private let authService: AuthService
  private let persistenceService: PersistenceService
  private var kept: (userID: UUID, drafts: Kept)?
  /// Writes follow each other, so that an older state never replaces a newer one.
  private var lastWrite: Task<Void, Never>?
  private let log = RallyLog.logger("Drafts")

  public init(authService: AuthService, persistenceService: PersistenceService) {
    self.authService = authService
    self.persistenceService = persistenceService
  }

  /// What was typed into this form and not sent; nil for nothing.
  public func mission(_ slot: MissionDraftSlot) async -> MissionForm? {
    guard let userID = await authService.currentUserID else { return nil }
    return await drafts(of: userID).missions[slot.name]
  }

  /// Keeps what was typed into this form; nil forgets it. Returns once it is on the disk.
  ///
  /// A task that was cancelled before its turn came writes nothing: a newer state is on its way.
  public func keep(_ form: MissionForm?, in slot: MissionDraftSlot) async {
    // A session that ended by itself leaves behind whose form it was.
    guard let userID = await authService.currentUserID ?? kept?.userID else { return }
    var drafts = await drafts(of: userID)
    guard !Task.isCancelled, drafts.missions[slot.name] != form else { return }
    drafts.missions[slot.name] = form
    kept = (userID, drafts)
    await write(drafts.missions.isEmpty ? nil : drafts, of: userID)
  }

  /// Forgets everything of a person, as signing out must.
  public func forget(userID: UUID) async {
    kept = nil
    await write(nil, of: userID)
  }

  private func drafts(of userID: UUID) async -> Kept {
    if let kept, kept.userID == userID { return kept.drafts }
    let read = try? await persistenceService.retrieve(Kept.self, withKey: Self.key(userID))
    // Somebody may have written meanwhile; that is newer.
    if let kept, kept.userID == userID { return kept.drafts }
    let drafts = read ?? Kept()
    kept = (userID, drafts)
    return drafts
  }

  private func write(_ drafts: Kept?, of userID: UUID) async {
    let former = lastWrite
    let task = Task { [persistenceService, log] in
      await former?.value
      do {
        if let drafts {
          try await persistenceService.save(drafts, withKey: Self.key(userID))
        } else {
          try await persistenceService.delete(withKey: Self.key(userID))
        }
      } catch {
        // A draft that cannot be kept is still in the form; only a crash would lose it.
        log.warning("keep — \(error.logLabel)")
      }
    }
    lastWrite = task
    await task.value
  }

  private static func key(_ userID: UUID) -> String { "drafts-\(userID.wireText)" }
}

/// Which mission a composer is for.
public enum MissionDraftSlot: Hashable, Sendable {
  case new
  case mission(UUID)

  var name: String {
    switch self {
    case .new: "new"
    case .mission(let id): id.wireText
    }
  }
}
