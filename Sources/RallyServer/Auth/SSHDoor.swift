import Foundation
import RallyWire

/// Answers the SSH door of a host: whose a key is, and the session that its ticket opens.
struct SSHDoor: Sendable {
  let storage: Storage
  let issuer: SessionIssuer
  var policy = SignUpPolicy.closed
  var now: @Sendable () -> WireTime = { .now }

  /// Seconds between asking for a key and the session with it: in between the person proves to have
  /// the key, which may take a touch.
  static let ticketLifetime: Int64 = 30
  /// Seconds; about ten years, as the API key. A new signing secret ends it at once.
  private static let tokenLifetime: Int64 = 315_360_000

  /// Sessions of one account over SSH; a further one ends the oldest.
  private static let sessionLimit = 64

  private static let noTicket = AuthRefusal(
    403, .badJWT, "This connection's ticket has ended. Connect again.")

  /// What a door shows to this server.
  static func token(keys: KeyRing, at time: WireTime = .now) throws -> String {
    let seconds = time.microseconds / 1_000_000
    return try TokenSigner(keys: keys).sign(
      AccessClaims(
        expiresAt: seconds + tokenLifetime, issuedAt: seconds, role: AccessClaims.sshDoorRole))
  }

  /// - Throws: `AuthRefusal` for anything but the token of a door.
  func requireDoor(_ token: String) throws {
    do {
      let claims = try issuer.signer.verify(token, at: now())
      guard claims.role == AccessClaims.sshDoorRole else { throw AuthRefusal.noSubject }
    } catch let problem as TokenProblem {
      throw AuthRefusal(problem)
    }
  }

  /// A ticket for the owner of a key, or for making an account where the door and the policy allow
  /// that; nil for another unknown key, and for a disabled account. Only reads.
  func ticket(for question: SSHTicketQuestion) async throws -> SSHTicket? {
    guard let key = try? SSHPublicKey(line: question.key) else { return nil }
    let fingerprint = SSHKeyRecords.fingerprint(of: key)
    let (owner, isKnown) = try await storage.read { database in
      (
        try SSHDoor.owner(of: fingerprint, in: database)?.user,
        try SSHKeyRecords.find(fingerprint: fingerprint, in: database) != nil
      )
    }
    let isNewcomer = !isKnown && question.takesNewcomers == true && policy != .closed
    guard owner != nil || isNewcomer else { return nil }
    let seconds = now().microseconds / 1_000_000
    return SSHTicket(
      ticket: try issuer.signer.sign(
        AccessClaims(
          subject: owner?.id.wireText, expiresAt: seconds + SSHDoor.ticketLifetime,
          issuedAt: seconds, role: AccessClaims.sshTicketRole, fingerprint: fingerprint,
          sshKey: isNewcomer ? key.line : nil)))
  }

  /// Begins a session of the account that a ticket names, while the key still belongs to it; or
  /// tells a newcomer's key, while it belongs to nobody.
  ///
  /// - Throws: `AuthRefusal`.
  func admission(for ticket: SSHTicket, issuer address: String) async throws -> SSHAdmission {
    guard let claims = try? issuer.signer.verify(ticket.ticket, at: now()),
      claims.role == AccessClaims.sshTicketRole, let fingerprint = claims.fingerprint
    else { throw SSHDoor.noTicket }
    if let key = claims.sshKey {
      guard
        try await storage.read({
          try SSHKeyRecords.find(fingerprint: fingerprint, in: $0) == nil
        })
      else { throw SSHDoor.noTicket }
      return .newcomer(key: key)
    }
    let time = now()
    let (user, session) = try await storage.write { database in
      guard let (key, known) = try SSHDoor.owner(of: fingerprint, in: database),
        known.id.wireText == claims.subject
      else { throw SSHDoor.noTicket }
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

  private static func owner(
    of fingerprint: String, in database: Database
  ) throws -> (key: StoredSSHKey, user: UserRecord)? {
    guard let key = try SSHKeyRecords.find(fingerprint: fingerprint, in: database),
      let user = try UserRecords.find(id: key.owner.wireText, in: database), !user.isBanned
    else { return nil }
    return (key, user)
  }
}

extension AccessClaims {
  static let sshDoorRole = "ssh_door"
  static let sshTicketRole = "ssh_ticket"
}
