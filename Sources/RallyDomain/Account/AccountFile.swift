import FoundationEssentials
import RallySystem

/// What this machine keeps of an account, and deletes when its owner signs out.
public protocol AccountFile: Sendable {
  /// - Throws: `FileError` if it could not be deleted.
  func forget(userID: UUID) async throws
}

/// One file of an account in a folder.
struct KeyedAccountFile: AccountFile {
  let persistenceService: PersistenceService
  let key: @Sendable (_ userID: UUID) -> String

  func forget(userID: UUID) async throws {
    try await persistenceService.delete(withKey: key(userID))
  }
}

/// The damaged files of an account that were set aside in a folder.
struct SetAsideFiles: AccountFile {
  let persistenceService: PersistenceService

  func forget(userID: UUID) async throws {
    try await persistenceService.deleteSetAside(of: userID)
  }
}

extension PersistenceService {
  func accountFiles(_ keys: [@Sendable (UUID) -> String]) -> [any AccountFile] {
    keys.map { KeyedAccountFile(persistenceService: self, key: $0) }
  }
}
