/// What signing out could not do; the person is signed out all the same.
public enum SignOutProblem: Error, Hashable, Sendable {
  /// A ghost did not reach the server: it goes out after the next sign-in on this machine.
  case ghostPending

  public var sentence: String {
    "Signed out, but friends may still see where you were: the server was not reached."
      + " Sign in again to take it back."
  }
}
