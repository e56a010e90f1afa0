/// What failed while signing out; the user is signed out all the same.
public enum SignOutProblem: Error, Hashable, Sendable {
  /// Ghost mode could not be sent to the server; it is sent after the next sign-in on this machine.
  case ghostPending

  public var sentence: String {
    "Signed out, but friends may still see where you were: the server was not reached."
      + " Sign in again to take it back."
  }
}
