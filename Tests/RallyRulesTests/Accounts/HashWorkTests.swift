import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// What an attacker could measure of a sign-in is counted, since times cannot be relied on.
@Suite struct HashWorkTests {
  private let hasher = PasswordHasher(cost: .cheap)

  private func accounts() throws -> Accounts {
    Accounts(
      storage: try Storage(path: nil), hasher: hasher,
      issuer: SessionIssuer(
        signer: TokenSigner(keys: KeyRing(try ServerKeys())), lifetime: .seconds(3600)),
      gate: SignUpGate(
        policy: .open,
        invitations: InvitationFunctions(friends: FriendFunctions(presence: PresentUsers()))))
  }

  private func credentials(_ email: String, _ password: String) throws -> Accounts.Credentials {
    try WireJSON.decode(
      Accounts.Credentials.self,
      from: WireJSON.encode(["email": email, "password": password]))
  }

  @Test func `a sign-up may be repeated for a while by whoever made it`() async throws {
    let accounts = try accounts()
    let first = try await accounts.signUp(
      try credentials("ana@example.org", "correct horse"), issuer: "")
    let again = try await accounts.signUp(
      try credentials("Ana@example.org", "correct horse"), issuer: "")
    #expect(again.user.id == first.user.id)
    #expect(again.refreshToken != first.refreshToken)
    await #expect(throws: AuthRefusal.userAlreadyExists) {
      _ = try await accounts.signUp(
        try credentials("ana@example.org", "wrong horse"), issuer: "")
    }
    let before = WireTime.now.advanced(by: .seconds(-601))
    try await accounts.storage.write {
      try $0.execute(sql: "UPDATE users SET created_at = ?", arguments: [before.microseconds])
    }
    await #expect(throws: AuthRefusal.userAlreadyExists) {
      _ = try await accounts.signUp(
        try credentials("ana@example.org", "correct horse"), issuer: "")
    }
  }

  @Test func `when a crowd waits for hashes the next one is told to come again`() async throws {
    let hasher = PasswordHasher(cost: .cheap, waitingLimit: 4)
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { crowd in
      defer { for _ in 1...4 { gate.signal() } }
      for _ in 1...4 { crowd.addTask { try await hasher.run { gate.wait() } } }
      try await eventually("four wait") { hasher.waiting == 4 }
      await #expect(throws: AuthRefusal.tooBusy) { _ = try await hasher.hash("correct horse") }
    }
    try await eventually("nobody waits") { hasher.waiting == 0 }
    _ = try await hasher.hash("correct horse")
  }

  @Test func `an unknown user costs the work and gives the answer of a wrong password`()
    async throws
  {
    let accounts = try accounts()
    let known = try credentials("ana@example.org", "correct horse")
    _ = try await accounts.signUp(known, issuer: "")
    func attempt(_ body: Accounts.Credentials) async -> (work: Int, refusal: AuthRefusal?) {
      let before = hasher.hashes
      do {
        _ = try await accounts.signIn(body, issuer: "")
        return (hasher.hashes - before, nil)
      } catch {
        return (hasher.hashes - before, error as? AuthRefusal)
      }
    }
    let right = await attempt(known)
    let wrong = await attempt(try credentials("ana@example.org", "wrong horse"))
    let unknown = await attempt(try credentials("nobody@example.org", "wrong horse"))
    #expect(right.work == 1)
    #expect(wrong.work == 1)
    #expect(unknown.work == 1)
    #expect(right.refusal == nil)
    #expect(wrong.refusal == .invalidCredentials)
    #expect(unknown.refusal == wrong.refusal)
  }
}
