import RallyWire

extension Error {
  /// Whether the error need not be shown: the work was cancelled, or the session ended meanwhile.
  public func isExpectedError() -> Bool {
    switch self {
    case is CancellationError: true
    case let error as NetworkError: error == .signedOut
    case let error as AuthError: error == .signedOut
    default: false
    }
  }

  /// A sentence for the user: what failed and what to do.
  public var sentence: String {
    switch self {
    case let error as NetworkError: error.sentence
    case let error as AuthError: error.sentence
    case let error as EmbeddedServerError: error.sentence
    case let error as FieldProblem: error.advice
    case let error as SignOutProblem: error.sentence
    case let error as PositionProblem: error.sentence
    case is CancellationError: "Cancelled."
    default: "Something unexpected failed. The log has the details."
    }
  }
}
