import FoundationEssentials
import RallyClient
import RallySystem
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
  /// Whether the last write failed, so that the same has to be written again.
  private var isUnwritten = false
  /// Writes follow each other, so that an older state never replaces a newer one.
  private var lastWrite: Task<Void, any Error>?

  public init(authService: AuthService, persistenceService: PersistenceService) {
    self.authService = authService
    self.persistenceService = persistenceService
  }

  /// What was typed into this form and not sent; nil for nothing, or if the file cannot be read.
  public func mission(_ slot: MissionDraftSlot) async -> MissionForm? {
    guard let userID = await authService.currentUserID else { return nil }
    // The store of the files reports that one cannot be read.
    return try? await drafts(of: userID).missions[slot.name]
  }

  /// Keeps what was typed into this form; nil forgets it. Returns once it is on the disk.
  ///
  /// A task that was cancelled before its turn came writes nothing: a newer state is on its way.
  ///
  /// - Throws: `PersistenceError.notConfigured` for nobody's form, `FileError` if it is not on the
  ///   disk. The person is told once.
  public func keep(_ form: MissionForm?, in slot: MissionDraftSlot) async throws {
    // A session that ended by itself leaves behind whose form it was.
    guard let userID = await authService.currentUserID ?? kept?.userID else {
      throw PersistenceError.notConfigured
    }
    do {
      var drafts = try await drafts(of: userID)
      guard !Task.isCancelled, isUnwritten || drafts.missions[slot.name] != form else { return }
      drafts.missions[slot.name] = form
      kept = (userID, drafts)
      try await write(drafts.missions.isEmpty ? nil : drafts, of: userID)
    } catch {
      persistenceService.report(
        form == nil
          ? "A draft cannot be removed, and is offered again at the next start"
          : "What you type is not kept for the next start", error)
      throw error
    }
  }

  /// Forgets everything of a person, as signing out must.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if a file cannot be deleted.
  public func forget(userID: UUID) async throws {
    kept = nil
    try await write(nil, of: userID)
    try await persistenceService.deleteAll(of: userID)
  }

  private func drafts(of userID: UUID) async throws -> Kept {
    if let kept, kept.userID == userID { return kept.drafts }
    let read = try await persistenceService.retrieve(Kept.self, withKey: Self.key(userID))
    // Somebody may have written meanwhile; that is newer.
    if let kept, kept.userID == userID { return kept.drafts }
    let drafts = read ?? Kept()
    kept = (userID, drafts)
    return drafts
  }

  private func write(_ drafts: Kept?, of userID: UUID) async throws {
    let former = lastWrite
    let task = Task { [persistenceService] in
      _ = await former?.result
      if let drafts {
        try await persistenceService.save(drafts, withKey: Self.key(userID))
      } else {
        try await persistenceService.delete(withKey: Self.key(userID))
      }
    }
    lastWrite = task
    let result = await task.result
    if lastWrite == task {
      isUnwritten = if case .failure = result { true } else { false }
    }
    try result.get()
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
