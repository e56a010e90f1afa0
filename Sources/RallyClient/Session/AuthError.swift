import RallySystem
import RallyText
import RallyWire

/// Why sign-in, sign-up or a session refresh failed.
public enum AuthError: ReportableError, Hashable, Sendable {
  /// Wrong e-mail address or wrong password; never which of the two.
  case invalidCredentials
  case emailTaken
  case usernameTaken
  case invalid(FieldProblem)
  case signUpClosed
  case banned
  /// The account's e-mail address is not confirmed yet.
  case emailUnconfirmed
  case signedOut
  case network(NetworkError)
  /// The account is signed in, but its session is not kept for the next start.
  case file(FileError)
  /// What is none of these, in the words of its own: the embedded server did not start.
  case other(sentence: String, detail: String)

  /// The field that the error belongs to; nil if it belongs to the form.
  public var field: FieldProblem.Field? {
    switch self {
    case .emailTaken: .email
    case .usernameTaken: .username
    case .invalid(let problem): problem.field
    default: nil
    }
  }

  /// One sentence that says what to do.
  public var sentence: String {
    switch self {
    case .invalidCredentials: "Wrong name or password. Check both and try again."
    case .emailTaken: "This address has an account already. Sign in instead."
    case .usernameTaken: "Somebody has this name already. Choose another."
    case .invalid(let problem): problem.advice
    case .signUpClosed: "This server takes no new accounts. Ask who runs it."
    case .banned: "This account is suspended. Ask who runs the server."
    case .emailUnconfirmed: "Confirm your e-mail address first, then sign in."
    case .signedOut: "You are signed out. Sign in again."
    case .network(let error): error.sentence
    case .file(let error): "Signed in, but not kept for the next start: \(error.sentence)"
    case .other(let sentence, _): sentence
    }
  }

  package init(_ error: any Error) {
    switch error {
    case let error as AuthError: self = error
    case let error as FieldProblem: self = .invalid(error)
    case NetworkError.signedOut: self = .signedOut
    case NetworkError.auth(let failure, let status): self.init(failure, status: status)
    case let error as NetworkError: self = .network(error)
    case let error as FileError: self = .file(error)
    default: self = .other(sentence: error.sentence, detail: error.logLabel)
    }
  }

  private init(_ failure: AuthFailure, status: Int) {
    switch failure.code {
    case .invalidCredentials: self = .invalidCredentials
    case .userAlreadyExists, .emailExists: self = .emailTaken
    case .usernameTaken: self = .usernameTaken
    case .weakPassword:
      self = .invalid(
        FieldProblem(field: .password, advice: TextLimits.line.shown(failure.message)))
    case .signupDisabled where failure.message.lowercased().contains("invitation"):
      self = .invalid(
        FieldProblem(field: .code, advice: TextLimits.line.shown(failure.message) + "."))
    case .signupDisabled: self = .signUpClosed
    case .userBanned: self = .banned
    case .emailNotConfirmed: self = .emailUnconfirmed
    case .sessionNotFound, .sessionExpired, .refreshTokenNotFound, .refreshTokenAlreadyUsed,
      .userNotFound:
      self = .signedOut
    default: self = .network(.auth(failure, status: status))
    }
  }
}

extension AuthFailureCode {
  /// GoTrue's code for an unconfirmed address; Rally's own server has no such step.
  static let emailNotConfirmed = Self(rawValue: "email_not_confirmed")

  /// Whether the session is over for good, so that the user has to sign in again.
  var endsSession: Bool {
    switch self {
    case .sessionNotFound, .sessionExpired, .refreshTokenNotFound, .refreshTokenAlreadyUsed,
      .userNotFound, .userBanned:
      true
    default: false
    }
  }
}

extension AuthError {
  /// Without the user's input.
  public var logDetail: String {
    switch self {
    case .invalidCredentials: "invalid credentials"
    case .emailTaken: "email taken"
    case .usernameTaken: "username taken"
    case .invalid(let problem): "invalid \(problem.field.rawValue)"
    case .signUpClosed: "sign-up closed"
    case .banned: "banned"
    case .emailUnconfirmed: "email unconfirmed"
    case .signedOut: "signed out"
    case .network(let error): "network: \(error.logDetail)"
    case .file(let error): error.logDetail
    case .other(_, let detail): detail
    }
  }
}
