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
}
