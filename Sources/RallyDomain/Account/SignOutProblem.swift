import RallySystem

/// What failed while signing out; the user is signed out on this machine all the same.
public enum SignOutProblem: ReportableError, Hashable, Sendable {
  /// Ghost mode could not be sent to the server; it is sent after the next sign-in on this machine.
  case ghostPending
  /// The session could not be ended on the server: whoever has a copy of it can go on with it.
  case sessionLeft

  public var sentence: String {
    switch self {
    case .ghostPending:
      "Signed out, but friends may still see where you were: the server was not reached."
        + " Sign in again to take it back."
    case .sessionLeft:
      "Signed out on this machine, but the server was not reached and still knows this session."
        + " If somebody may have a copy of it, sign in and set a new password: that ends it."
    }
  }
}
