import Foundation
import RallyRules
import RallyStorage
import RallyWire

/// An operator's changes to accounts, made directly in the database, with or without a running
/// server.
///
/// A running server reads them from the change feed; `ExternalWriteNotifier` wakes it.
public struct AccountAdministration: Sendable {
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case unknown(String)

    public var description: String {
      switch self {
      case .unknown(let name): "Nobody here is called \(name)."
      }
    }
  }

  private let storage: Storage
  /// The folder whose server is notified of writes; nil on PostgreSQL, which notifies by itself.
  private let folder: String?
  /// nil where no data folder exists.
  private let audit: AuditLog?
  private let hasher: PasswordHasher

  /// Opens a server's database without migrating it.
  ///
  /// - Throws: `ExistingDatabase.Failure` if there is no database or it has another version;
  ///   `StorageFailure` from PostgreSQL.
  public init(
    _ database: ServerConfiguration.Database, passwordCost: PasswordCost = .standard
  ) async throws {
    switch database {
    case .folder(let path):
      folder = path
      audit = AuditLog(folder: path)
      storage = Storage(try ExistingDatabase.engine(in: path))
    case .postgres(let address, let path):
      folder = nil
      audit = path.map { AuditLog(folder: $0) }
      storage = try await Storage(command: address)
    case .inMemory:
      folder = nil
      audit = nil
      storage = try Storage(path: nil)
    }
    hasher = PasswordHasher(cost: passwordCost)
  }

  /// - Throws: `StorageFailure`.
  public func close() throws { try storage.close() }

  // MARK: - Looking

  /// Accounts by username.
  ///
  /// - Parameter text: Part of a username or of an e-mail address; nil for all.
  /// - Throws: `StorageFailure`.
  public func accounts(matching text: String? = nil) async throws -> [OperatedAccount] {
    try await storage.read { try UserRecords.accounts(matching: text, in: $0) }
  }

  /// - Parameter name: A username, with or without `@`, an e-mail address or an id.
  /// - Throws: `Failure` if there is no such account, or `StorageFailure`.
  public func account(_ name: String) async throws -> OperatedAccount {
    try await storage.read { database in
      let user = try AccountAdministration.user(name, in: database)
      return try AccountAdministration.account(of: user, in: database)
    }
  }

  // MARK: - Acting

  /// - Throws: As `account`, or `AuditLog.Failure`; then nothing has changed.
  public func disable(_ name: String) async throws -> OperatedAccount {
    try await change(name, as: .disable) { try AccountStatus.disable($0, at: .now, in: $1) }
  }

  /// - Throws: As `disable`.
  public func enable(_ name: String) async throws -> OperatedAccount {
    try await change(name, as: .enable) { try AccountStatus.enable($0, at: .now, in: $1) }
  }

  /// Sets a new password and ends all sessions of the account.
  ///
  /// - Throws: `FieldProblem` for an invalid password, otherwise as `disable`.
  public func resetPassword(of name: String, to password: String) async throws -> OperatedAccount {
    let hash = try await hasher.hash(ProfileText.password(password))
    return try await change(name, as: .resetPassword) { user, database in
      try AccountStatus.setPassword(hash, of: user, at: .now, in: database)
    }
  }

  /// Deletes the account with all its data.
  ///
  /// - Returns: The account as it was.
  /// - Throws: As `disable`.
  public func delete(_ name: String) async throws -> OperatedAccount {
    let gone = try await storage.write { [audit] database in
      let user = try AccountAdministration.user(name, in: database)
      let account = try AccountAdministration.account(of: user, in: database)
      try AccountDeletion.delete(user.id.wireText, at: .now, in: database)
      try audit?.append(.delete, account: user.id.wireText)
      return account
    }
    if let folder { ExternalWriteNotifier.notify(folder) }
    return gone
  }

  /// Makes a code that lets one person in, also where nobody is yet who could invite them.
  ///
  /// - Parameter life: How long it can be used, at most `CreateInvitation.longestLife`.
  /// - Throws: `StorageFailure`, or `AuditLog.Failure`; then nothing has changed.
  public func invite(for life: Duration) async throws -> InvitationCode {
    try await storage.write { [audit] database in
      let code = try InvitationFunctions.freshCode(in: database)
      let now = WireTime.now
      try OperatorInvitationRecords.insert(
        code, expiresAt: now.advanced(by: life), at: now, in: database)
      try audit?.append(.invite)
      return code
    }
  }

  /// A random password without letters that are easily confused.
  public static func freshPassword() -> String {
    let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
    var letters: [Character] = []
    while letters.count < 20 {
      for byte in Sodium.randomBytes(32) where letters.count < 20 {
        // Larger bytes are skipped: taking them modulo the alphabet would favour its first letters.
        guard Int(byte) < 256 / alphabet.count * alphabet.count else { continue }
        letters.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return stride(from: 0, to: 20, by: 5).map { String(letters[$0..<$0 + 5]) }
      .joined(separator: "-")
  }

  // MARK: - Shared

  private func change(
    _ name: String, as act: AuditEntry.Act,
    _ body: @escaping @Sendable (UserRecord, Database) throws -> Void
  ) async throws -> OperatedAccount {
    let account = try await storage.write { [audit] database in
      let user = try AccountAdministration.user(name, in: database)
      try body(user, database)
      // Logged last, so that an act that fails leaves no line. If the commit fails, the line stays.
      try audit?.append(act, account: user.id.wireText)
      return try AccountAdministration.account(
        of: AccountAdministration.user(user.id.wireText, in: database), in: database)
    }
    if let folder { ExternalWriteNotifier.notify(folder) }
    return account
  }

  private static func user(_ name: String, in database: Database) throws -> UserRecord {
    if let id = UUID(wireText: name),
      let user = try UserRecords.find(id: id.wireText, in: database)
    {
      return user
    }
    let username = Username.folded(name.hasPrefix("@") ? String(name.dropFirst()) : name)
    if let user = try UserRecords.find(username: username, in: database) { return user }
    guard let user = try UserRecords.find(email: ProfileText.emailKey(name), in: database) else {
      throw Failure.unknown(name)
    }
    return user
  }

  private static func account(of user: UserRecord, in database: Database) throws -> OperatedAccount
  {
    guard let account = try UserRecords.account(user.id.wireText, in: database) else {
      throw Failure.unknown(user.email)
    }
    return account
  }
}
