import Foundation
import RallyWire

/// Who may make an account, and what the code that let them in gives them at once.
struct SignUpGate: Sendable {
  /// The key of the code among a sign-up's `data`; it never becomes metadata.
  static let key = "invitation_code"

  let policy: SignUpPolicy
  let invitations: InvitationFunctions

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

  /// Refuses a code that lets nobody in, before anything costly is done or told.
  func check(_ code: InvitationCode, in database: Database) throws {
    guard let invitation = try InvitationRecords.find(code, in: database),
      invitation.isOpen(at: invitations.now())
    else { throw SignUpGate.codeUnknown }
  }

  /// Accepts the invitation for a new account, in the transaction that makes it: the code is used up
  /// by who came with it, and gives what it was made for.
  func admit(_ newcomer: Caller, with code: InvitationCode, in database: Database) throws {
    do {
      _ = try invitations.acceptInvitation(
        AcceptInvitation(code: code), caller: newcomer, in: database)
    } catch let failure as FunctionFailure {
      throw failure.reason == .notFound
        ? SignUpGate.codeUnknown : AuthRefusal(422, .signupDisabled, failure.message)
    }
  }
}
