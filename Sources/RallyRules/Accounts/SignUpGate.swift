import Foundation
import RallyStorage
import RallyText
import RallyWire

/// Decides who may sign up, and applies the invitation code of the sign-up.
package struct SignUpGate: Sendable {
  /// The key of the code in a sign-up's `data`; it is not stored as metadata.
  package static let key = "invitation_code"

  package let policy: SignUpPolicy
  let invitations: InvitationFunctions

  package init(policy: SignUpPolicy, invitations: InvitationFunctions) {
    self.policy = policy
    self.invitations = invitations
  }

  private static let closed = AuthRefusal(
    422, .signupDisabled, "Signups not allowed for this instance")
  private static let codeNeeded = AuthRefusal(
    422, .signupDisabled, "Signups are by invitation: ask a member for a code")
  private static let codeUnknown = AuthRefusal(
    422, .signupDisabled, "This invitation code is not valid: ask for a new one")

  /// The code of a sign-up; nil where there is none and none is needed.
  ///
  /// - Throws: `AuthRefusal` where the policy refuses the sign-up whatever else it says.
  func code(in data: [String: JSONValue]) throws -> InvitationCode? {
    guard policy != .closed else { throw SignUpGate.closed }
    guard let text = data[SignUpGate.key]?.string, !text.allSatisfy(\.isWhitespace) else {
      if policy == .invited { throw SignUpGate.codeNeeded }
      return nil
    }
    do {
      return try InvitationCode(text)
    } catch {
      throw AuthRefusal(400, .validationFailed, error.advice)
    }
  }

  /// Checks the code before the password is hashed.
  func check(_ code: InvitationCode, in database: Database) throws {
    if try OperatorInvitationRecords.isOpen(code, at: invitations.now(), in: database) { return }
    guard let invitation = try InvitationRecords.find(code, in: database),
      invitation.isOpen(at: invitations.now())
    else { throw SignUpGate.codeUnknown }
  }

  /// Accepts the invitation in the transaction that creates the account.
  func admit(_ newcomer: Caller, with code: InvitationCode, in database: Database) throws {
    if try OperatorInvitationRecords.isOpen(code, at: invitations.now(), in: database) {
      return try OperatorInvitationRecords.delete(code, in: database)
    }
    do {
      _ = try invitations.acceptInvitation(
        AcceptInvitation(code: code), caller: newcomer, in: database)
    } catch let failure as FunctionFailure {
      throw failure.reason == .notFound
        ? SignUpGate.codeUnknown : AuthRefusal(422, .signupDisabled, failure.message)
    }
  }
}
