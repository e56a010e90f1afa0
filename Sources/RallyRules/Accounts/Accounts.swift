import Foundation
import RallyStorage
import RallyText
import RallyWire

/// Signing up and in, and changing one's own account.
package struct Accounts: Sendable {
  /// How long a repeated sign-up is answered as the first one.
  private static let repetition = Duration.seconds(600)
  /// How long a sign-in allows a new password or e-mail address without the present password.
  private static let freshness = Duration.seconds(600)

  let storage: Storage
  let hasher: PasswordHasher
  package let issuer: SessionIssuer
  package let gate: SignUpGate

  package var now: @Sendable () -> WireTime = { .now }

  package init(
    storage: Storage, hasher: PasswordHasher, issuer: SessionIssuer, gate: SignUpGate,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.storage = storage
    self.hasher = hasher
    self.issuer = issuer
    self.gate = gate
    self.now = now
  }

  /// Body of a sign-up or of a password grant; unknown fields are ignored.
  package struct Credentials: Decodable {
    package var email: String?
    var phone: String?
    package var password: String?
    var data: [String: JSONValue]?

    /// The normalized name of the account, for rate limits.
    package var account: String { ProfileText.emailKey(email ?? "").composed }

    /// The part of `data` that is stored.
    fileprivate var metadata: [String: JSONValue] {
      (data ?? [:]).filter { $0.value != .null && $0.key != SignUpGate.key }
    }

    /// - Throws: `AuthRefusal` for a sign-up without an e-mail address.
    fileprivate func requireEmail() throws(AuthRefusal) {
      guard (email ?? "").isEmpty else { return }
      guard (phone ?? "").isEmpty else { throw .phone }
    }
  }

  /// Whether there is an account with this e-mail address.
  package func isThere(_ body: Credentials) async throws -> Bool {
    guard let email = try? Accounts.email(body.email) else { return false }
    return try await storage.read { try UserRecords.find(email: email, in: $0) != nil }
  }

  // MARK: - Signing up

  /// Creates the user, the profile and the first session in one transaction.
  ///
  /// Idempotent for ten minutes: if the response was lost, the same request succeeds again instead
  /// of reporting the address as taken.
  package func signUp(_ body: Credentials, issuer address: String) async throws -> AuthSession {
    do {
      return try await make(body, issuer: address)
    } catch let refusal as AuthRefusal {
      guard let session = try await repeated(body, issuer: address) else { throw refusal }
      return session
    }
  }

  /// - Returns: nil unless the account is new and was created by an identical request.
  private func repeated(_ body: Credentials, issuer address: String) async throws -> AuthSession? {
    guard let email = try? Accounts.email(body.email), let password = body.password,
      let known = try await storage.read({ try UserRecords.find(email: email, in: $0) }),
      known.createdAt.isRecent(within: Accounts.repetition, at: now()),
      known.metadata == body.metadata,
      try await hasher.verifies(password, against: known.password)
    else { return nil }
    return try await begin(known, issuer: address)
  }

  private func make(_ body: Credentials, issuer address: String) async throws -> AuthSession {
    try body.requireEmail()
    guard body.email != nil || body.password != nil else { throw AuthRefusal.anonymous }
    let code = try gate.code(in: body.data ?? [:])
    if let code { try await storage.read { [gate] in try gate.check(code, in: $0) } }
    let email = try Accounts.email(body.email)
    let password = try Accounts.newPassword(body.password)
    let wanted = try Accounts.wantedProfile(body.data ?? [:])
    // Checked before the password is hashed, which is expensive.
    let isTaken = try await storage.read { try UserRecords.find(email: email, in: $0) != nil }
    guard !isTaken else { throw AuthRefusal.userAlreadyExists }
    let hash = try await hasher.hash(password)
    let metadata = body.metadata
    try Accounts.requireSmall(metadata)
    let (user, session) = try await storage.write { [gate, now] database in
      guard try UserRecords.find(email: email, in: database) == nil else {
        throw AuthRefusal.userAlreadyExists
      }
      let now = now()
      let username = try Accounts.freeUsername(wanted: wanted.username, email, in: database)
      let user = UserRecord(
        id: UUID(), identityID: UUID(), email: email, password: hash, metadata: metadata,
        createdAt: now, updatedAt: now, lastSignInAt: now)
      try UserRecords.insert(user, in: database)
      try ProfileRecords.insert(
        ProfileRecord(
          id: user.id, username: username.value,
          displayName: wanted.displayName ?? username.value, bio: "", version: 1, createdAt: now),
        in: database)
      let session = try Accounts.newSession(of: user, at: now, in: database)
      if let code {
        try gate.admit(Caller(id: user.id, session: session.id), with: code, in: database)
      }
      return (user, session)
    }
    return try issuer.session(session, of: user, issuer: address)
  }

  private static func wantedProfile(
    _ data: [String: JSONValue]
  ) throws -> (username: Username?, displayName: String?) {
    do {
      return (
        try data["username"]?.string.map { text throws(FieldProblem) in try Username(text) },
        try data["display_name"]?.string.map { text throws(FieldProblem) in
          try ProfileText.displayName(text)
        }
      )
    } catch {
      throw AuthRefusal(400, .validationFailed, error.advice)
    }
  }

  /// The wanted username, or a free one made of the e-mail's local part.
  private static func freeUsername(
    wanted: Username?, _ email: String, in database: Database
  ) throws -> Username {
    if let wanted {
      guard try !ProfileRecords.isTaken(username: wanted.value, in: database) else {
        throw AuthRefusal.usernameTaken(wanted.value)
      }
      return wanted
    }
    let local = email.prefix { $0 != "@" }.filter { (try? Username("aa\($0)")) != nil }
    let stem = String((local.count < 3 ? "user" + local : String(local)).prefix(16))
    for candidate in 1... {
      let username = try Username(candidate == 1 ? stem : "\(stem)\(candidate)")
      if try !ProfileRecords.isTaken(username: username.value, in: database) { return username }
    }
    throw AuthRefusal(500, .unexpectedFailure, "No username is free")
  }

  // MARK: - Signing in

  package func signIn(_ body: Credentials, issuer address: String) async throws -> AuthSession {
    try body.requireEmail()
    guard let text = body.email, !text.isEmpty else {
      throw AuthRefusal(400, .validationFailed, "missing email or phone")
    }
    guard let password = body.password, !password.isEmpty else {
      throw AuthRefusal(400, .validationFailed, "missing password")
    }
    let email = ProfileText.emailKey(text)
    let known = try await storage.read { try UserRecords.find(email: email, in: $0) }
    guard try await hasher.verifies(password, against: known?.password), let known else {
      throw AuthRefusal.invalidCredentials
    }
    return try await begin(known, issuer: address)
  }

  private func begin(_ known: UserRecord, issuer address: String) async throws -> AuthSession {
    let (user, session) = try await storage.write { [now] database in
      // The account was changed or deleted while the hash was computed, so the check is void.
      guard var user = try UserRecords.find(id: known.id.wireText, in: database),
        user.password == known.password
      else { throw AuthRefusal.invalidCredentials }
      guard !user.isBanned else { throw AuthRefusal.banned(400) }
      user.lastSignInAt = now()
      try UserRecords.update(user, in: database)
      return (user, try Accounts.newSession(of: user, at: user.lastSignInAt, in: database))
    }
    return try issuer.session(session, of: user, issuer: address)
  }

  private static func newSession(
    of user: UserRecord, at time: WireTime, in database: Database
  ) throws -> SessionRecord {
    let session = SessionRecord(
      id: UUID(), userID: user.id.wireText, generation: 1, authenticatedAt: time)
    try SessionRecords.insert(session, in: database)
    return session
  }

  // MARK: - The own account

  package func user(_ caller: Caller) async throws -> AuthUser {
    try await storage.read { SessionIssuer.user(try Accounts.currentUser(caller, in: $0)) }
  }

  /// Body of `PUT /user`.
  package struct Changes: Decodable {
    package var email: String?
    var phone: String?
    package var password: String?
    /// The current password; verified if present.
    var currentPassword: String?
    /// Merged key by key; null deletes a key.
    var data: [String: JSONValue]?
    var appMetadata: JSONValue?

    /// Whether the change concerns the password or the e-mail address, or checks the password.
    package var isSensitive: Bool {
      !(email ?? "").isEmpty || password != nil || currentPassword != nil
    }

    enum CodingKeys: String, CodingKey {
      case email, phone, password, data
      case currentPassword = "current_password"
      case appMetadata = "app_metadata"
    }
  }

  /// A new password ends all other sessions. It and a new e-mail address need the current password
  /// or a recent sign-in, so that a stolen token is not enough.
  ///
  /// - Throws: `AuthRefusal.reauthenticationNeeded` where both are missing.
  package func update(_ changes: Changes, caller: Caller) async throws -> AuthUser {
    let (user, session) = try await storage.read { database in
      (
        try Accounts.currentUser(caller, in: database),
        try SessionRecords.find(caller.sessionID, in: database)
      )
    }
    try Accounts.requireChangeable(changes)
    let email = try changes.email.flatMap { $0.isEmpty ? nil : try Accounts.email($0) }
    let password = try changes.password.map(Accounts.newPassword)
    if let claimed = changes.currentPassword {
      try await requirePassword(claimed, of: user)
    } else if password != nil || email.map({ $0 != user.email }) == true {
      try requireFresh(session)
    }
    var hash: String?
    if let password { hash = try await self.hash(of: password, replacing: user.password) }
    let verifiedHash = user.password
    return try await storage.write { [hash, now] database in
      var user = try Accounts.currentUser(caller, in: database)
      // The account was changed while hashes were computed, so the check is void.
      guard !changes.isSensitive || user.password == verifiedHash else {
        throw AuthRefusal.invalidCredentials
      }
      if let email { try Accounts.setEmail(email, of: &user, in: database) }
      try Accounts.merge(changes.data ?? [:], into: &user.metadata)
      user.updatedAt = now()
      if let hash {
        user.password = hash
        try Accounts.endOtherSessions(of: caller, at: now(), in: database)
      }
      try UserRecords.update(user, in: database)
      return SessionIssuer.user(user)
    }
  }

  private static func requireChangeable(_ changes: Changes) throws {
    guard changes.appMetadata == nil else {
      throw AuthRefusal(403, .notAdmin, "Updating app_metadata requires admin privileges")
    }
    guard (changes.phone ?? "").isEmpty else { throw AuthRefusal.phone }
  }

  private func requirePassword(_ claimed: String, of user: UserRecord) async throws {
    guard try await hasher.verifies(claimed, against: user.password) else {
      throw AuthRefusal(400, .invalidCredentials, "The current password is not right")
    }
  }

  /// - Throws: Where the session did not begin lately; refreshing a token does not move this time.
  private func requireFresh(_ session: SessionRecord?) throws {
    guard let began = session?.authenticatedAt,
      began.isRecent(within: Accounts.freshness, at: now())
    else { throw AuthRefusal.reauthenticationNeeded }
  }

  private func hash(of password: String, replacing former: String) async throws -> String {
    guard try await !hasher.verifies(password, against: former) else {
      throw AuthRefusal(
        422, .samePassword, "New password should be different from the old password.")
    }
    return try await hasher.hash(password)
  }

  private static func setEmail(
    _ email: String, of user: inout UserRecord, in database: Database
  ) throws {
    guard email != user.email else { return }
    guard try UserRecords.find(email: email, in: database) == nil else {
      throw AuthRefusal(
        422, .emailExists, "A user with this email address has already been registered")
    }
    user.email = email
  }

  /// Takes new values key by key; null deletes one.
  private static func merge(
    _ changes: [String: JSONValue], into metadata: inout [String: JSONValue]
  ) throws {
    for (key, value) in changes {
      if value == .null {
        metadata.removeValue(forKey: key)
      } else {
        metadata[key] = value
      }
    }
    try requireSmall(metadata)
  }

  private static func endOtherSessions(
    of caller: Caller, at time: WireTime, in database: Database
  ) throws {
    let others = try SessionRecords.ids(ofUser: caller.userID, in: database)
      .filter { $0 != caller.sessionID }
    try SessionRecords.end(others, ofUser: caller.userID, at: time, in: database)
  }

  /// Deletes the caller's account with everything of theirs, for good.
  ///
  /// - Throws: `AuthRefusal` for another password than theirs; then nothing has changed.
  package func delete(password: String?, caller: Caller) async throws {
    let user = try await storage.read { try Accounts.currentUser(caller, in: $0) }
    guard let password, try await hasher.verifies(password.composed, against: user.password) else {
      throw AuthRefusal.invalidCredentials
    }
    let verifiedHash = user.password
    try await storage.write { [now] database in
      // The account was changed while the hash was computed, so the check is void.
      guard try Accounts.currentUser(caller, in: database).password == verifiedHash else {
        throw AuthRefusal.invalidCredentials
      }
      try AccountDeletion.delete(caller.userID, at: now(), in: database)
    }
  }

  static func currentUser(_ caller: Caller, in database: Database) throws -> UserRecord {
    // A deleted account has no session either; the error names the account.
    guard let user = try UserRecords.find(id: caller.userID, in: database) else {
      throw AuthRefusal(403, .userNotFound, "User from sub claim in JWT does not exist")
    }
    switch try caller.status(in: database) {
    case .signedOut: throw AuthRefusal.sessionNotFound
    case .banned: throw AuthRefusal.banned(403)
    case .active: return user
    }
  }

  // MARK: - What people type

  /// Limited because every request carries the metadata in its token.
  private static let metadataLimit = 8192

  private static func requireSmall(_ metadata: [String: JSONValue]) throws {
    guard try WireJSON.encode(metadata).count <= metadataLimit else {
      throw AuthRefusal(400, .validationFailed, "User metadata is limited to 8 KiB")
    }
  }

  private static func email(_ text: String?) throws -> String {
    do {
      return try ProfileText.email((text ?? "").composed)
    } catch {
      throw AuthRefusal(400, .validationFailed, error.advice)
    }
  }

  private static func newPassword(_ text: String?) throws -> String {
    guard let text = text?.composed, !text.isEmpty else {
      throw AuthRefusal(400, .validationFailed, "A valid password is required")
    }
    guard text.utf8.count <= ProfileText.passwordLengths.upperBound else {
      throw AuthRefusal(400, .validationFailed, "Password cannot be longer than 72 characters")
    }
    guard text.count >= ProfileText.passwordLengths.lowerBound else {
      throw AuthRefusal.weakPassword
    }
    return text
  }
}

extension String {
  /// With each letter and its accents as one character where there is one (NFC): how addresses
  /// (RFC 6532, 3.1) and passwords (RFC 8265, 4.2) are compared. Keyboards and files give either form.
  var composed: String { precomposedStringWithCanonicalMapping }

  /// The text as it came, and composed and decomposed where that are other bytes.
  var canonicalForms: [String] {
    var forms = [self]
    for form in [composed, decomposedStringWithCanonicalMapping]
    where !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) {
      forms.append(form)
    }
    return forms
  }
}
