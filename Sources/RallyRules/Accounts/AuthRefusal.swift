import RallyStorage
import RallyWire

/// A refusal under `/auth/v1` with its HTTP status.
package struct AuthRefusal: Error, Hashable, Sendable {
  package var status: Int
  package var failure: AuthFailure
  /// `weak_password.reasons`.
  package var weakness: [String]?
  /// Seconds for `Retry-After`.
  package var retryAfter: Int?

  package init(
    _ status: Int, _ code: AuthFailureCode, _ message: String, weakness: [String]? = nil,
    retryAfter: Int? = nil
  ) {
    self.status = status
    failure = AuthFailure(code, message)
    self.weakness = weakness
    self.retryAfter = retryAfter
  }

  package static let invalidCredentials = AuthRefusal(
    400, .invalidCredentials, "Invalid login credentials")
  static let userAlreadyExists = AuthRefusal(422, .userAlreadyExists, "User already registered")
  static let sessionNotFound = AuthRefusal(
    403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
  static let tooBusy = AuthRefusal(
    429, .overRequestRateLimit, "Too many people sign in at once", retryAfter: 5)
  package static let noBearer = AuthRefusal(
    401, .noAuthorization, "This endpoint requires a valid Bearer token")
  static let reauthenticationNeeded = AuthRefusal(
    400, .reauthenticationNeeded,
    "A new password or email address requires the current password, or a sign-in of the last"
      + " ten minutes")
  package static let noSubject = AuthRefusal(403, .badJWT, "invalid claim: missing sub claim")
  static let anonymous = AuthRefusal(
    422, .anonymousProviderDisabled, "Anonymous sign-ins are disabled")
  static let phone = AuthRefusal(
    422, .phoneProviderDisabled, "Phone numbers are not offered here; use an email address")
  /// The same for every address, so that it does not reveal whether the account exists.
  package static let noMail = AuthRefusal(
    422, .validationFailed,
    "This server sends no mail; ask the person who runs it to reset the password")
  static let weakPassword = AuthRefusal(
    422, .weakPassword, "Password should be at least 6 characters.", weakness: ["length"])
  static func usernameTaken(_ username: String) -> AuthRefusal {
    AuthRefusal(422, .usernameTaken, "“\(username)” is taken; choose another one.")
  }
  /// - Parameter delay: Seconds until the next request is accepted.
  package static func rateLimited(_ delay: Int) -> AuthRefusal {
    AuthRefusal(429, .overRequestRateLimit, "Request rate limit reached", retryAfter: delay)
  }
  static func banned(_ status: Int) -> AuthRefusal {
    AuthRefusal(status, .userBanned, "User is banned")
  }

  package init(_ problem: TokenProblem) {
    let reason =
      switch problem {
      case .malformed: "token is malformed"
      case .badSignature: "signature is invalid"
      case .expired: "token is expired"
      }
    self.init(403, .badJWT, "invalid JWT: unable to parse or verify signature, \(reason)")
  }
}
