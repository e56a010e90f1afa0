import Foundation
import RallyStorage
import RallyWire

/// Answers the SSH door of a host: whose a key is, and the session that its ticket opens.
package struct SSHDoor: Sendable {
  let storage: Storage
  package let issuer: SessionIssuer
  var policy = SignUpPolicy.closed
  var now: @Sendable () -> WireTime = { .now }

  package init(
    storage: Storage, issuer: SessionIssuer, policy: SignUpPolicy = .closed,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.storage = storage
    self.issuer = issuer
    self.policy = policy
    self.now = now
  }

  /// Seconds between asking for a key and the session with it: in between the person proves to have
  /// the key, which may take a touch.
  static let ticketLifetime: Int64 = 30
  /// Seconds for typing a username.
  private static let answerLifetime: Int64 = 120
  /// Seconds for making an account.
  private static let proofLifetime: Int64 = 3600
  /// Seconds; about ten years, as the API key. A new signing secret ends it at once.
  private static let tokenLifetime: Int64 = 315_360_000

  /// Sessions of one account over SSH; a further one ends the oldest.
  private static let sessionLimit = 64

  private static let noTicket = AuthRefusal(
    403, .badJWT, "This connection's ticket has ended. Connect again.")

  /// What a door shows to this server.
  package static func token(keys: KeyRing, at time: WireTime = .now) throws -> String {
    let seconds = time.microseconds / 1_000_000
    return try TokenSigner(keys: keys).sign(
      AccessClaims(
        expiresAt: seconds + tokenLifetime, issuedAt: seconds, role: AccessClaims.sshDoorRole))
  }

  /// - Throws: `AuthRefusal` for anything but the token of a door.
  package func requireDoor(_ token: String) throws {
    do {
      let claims = try issuer.signer.verify(token, at: now())
      guard claims.role == AccessClaims.sshDoorRole else { throw AuthRefusal.noSubject }
    } catch let problem as TokenProblem {
      throw AuthRefusal(problem)
    }
  }

  /// A ticket for the owner of a key. Where nobody came in with the key yet, it is a ticket for
  /// saying whose it is. Where the door and the policy allow that, it is one for making an account.
  /// Nil for another unknown key, and for a disabled account. Only reads.
  package func ticket(for question: SSHTicketQuestion) async throws -> SSHTicket? {
    guard let key = try? SSHPublicKey(line: question.key) else { return nil }
    let fingerprint = SSHKeyRecords.fingerprint(of: key)
    let (isKnown, owners) = try await storage.read { database in
      let keys = try SSHKeyRecords.all(fingerprint: fingerprint, in: database)
      return (!keys.isEmpty, try SSHDoor.owners(of: keys, in: database))
    }
    let isUnclaimed = owners.contains { !$0.key.isClaimed }
    let takesNewcomers = question.takesNewcomers == true && policy != .closed
    guard !owners.isEmpty || (!isKnown && takesNewcomers) else { return nil }
    return try ticket(
      fingerprint, of: isUnclaimed ? nil : owners.first?.user,
      key: takesNewcomers && (isUnclaimed || !isKnown) ? key.line : nil,
      for: SSHDoor.ticketLifetime)
  }

  private func ticket(
    _ fingerprint: String, of owner: UserRecord?, key: String?, for seconds: Int64,
    role: String = AccessClaims.sshTicketRole
  ) throws -> SSHTicket {
    let time = now().microseconds / 1_000_000
    return SSHTicket(
      ticket: try issuer.signer.sign(
        AccessClaims(
          subject: owner?.id.wireText, expiresAt: time + seconds, issuedAt: time, role: role,
          fingerprint: fingerprint, sshKey: key)))
  }

  /// Begins a session of the account that a ticket names, while the key still belongs to it.
  /// Without one it asks which of the accounts that added the key is the person's, or registers a
  /// newcomer's key, while nobody has claimed it.
  ///
  /// - Throws: `AuthRefusal`.
  package func admission(for ticket: SSHTicket, issuer address: String) async throws -> SSHAdmission
  {
    guard let claims = try? issuer.signer.verify(ticket.ticket, at: now()),
      claims.role == AccessClaims.sshTicketRole, let fingerprint = claims.fingerprint
    else { throw SSHDoor.noTicket }
    var subject = claims.subject
    if subject == nil {
      let owners = try await storage.read { database in
        let keys = try SSHKeyRecords.all(fingerprint: fingerprint, in: database)
        guard !keys.contains(where: \.isClaimed) else { throw SSHDoor.noTicket }
        return try SSHDoor.owners(of: keys, in: database)
      }
      if !owners.isEmpty, ticket.username == nil {
        return .unclaimed(
          try self.ticket(fingerprint, of: nil, key: claims.sshKey, for: SSHDoor.answerLifetime))
      }
      guard let username = ticket.username, !username.isEmpty, !owners.isEmpty else {
        guard let key = claims.sshKey else { throw SSHDoor.noTicket }
        let proof = try self.ticket(
          fingerprint, of: nil, key: nil, for: SSHDoor.proofLifetime,
          role: AccessClaims.sshProofRole)
        return .newcomer(key: key, proof: proof.ticket)
      }
      subject = try await storage.read { database in
        let name = Username.folded(
          username.hasPrefix("@") ? String(username.dropFirst()) : username)
        let named = try UserRecords.find(username: name, in: database)?.id
        return owners.first { $0.user.id == named }?.user.id.wireText
      }
      guard subject != nil else {
        throw AuthRefusal(400, .validationFailed, "No account of this name has added this key.")
      }
    }
    let time = now()
    let (user, session) = try await storage.write { [subject] database in
      let keys = try SSHKeyRecords.all(fingerprint: fingerprint, in: database)
      let owner = try SSHDoor.owners(of: keys, in: database).first {
        $0.user.id.wireText == subject
      }
      guard let (key, known) = owner else { throw SSHDoor.noTicket }
      var user = known
      user.lastSignInAt = time
      try UserRecords.update(user, in: database)
      try SSHKeyRecords.wasUsed(key.id, at: time, in: database)
      // Not the time of a password: a new one needs the present one.
      let session = SessionRecord(
        id: UUID(), userID: user.id.wireText, generation: 1,
        authenticatedAt: WireTime(microseconds: 0), createdAt: time)
      try SessionRecords.insert(session, in: database)
      // Those of connections that broke off without signing out.
      let old = try SessionRecords.ids(
        withoutPasswordOf: user.id.wireText, sparing: SSHDoor.sessionLimit, in: database)
      try SessionRecords.end(old, ofUser: user.id.wireText, at: time, in: database)
      return (user, session)
    }
    return .account(try issuer.session(session, of: user, issuer: address, at: time))
  }

  /// Those whose accounts are not disabled.
  private static func owners(
    of keys: [StoredSSHKey], in database: Database
  ) throws -> [(key: StoredSSHKey, user: UserRecord)] {
    try keys.compactMap { key in
      guard let user = try UserRecords.find(id: key.owner.wireText, in: database), !user.isBanned
      else { return nil }
      return (key, user)
    }
  }
}

extension AccessClaims {
  static let sshDoorRole = "ssh_door"
  static let sshTicketRole = "ssh_ticket"
  static let sshProofRole = "ssh_proof"
}
