import RallyWire

extension DraftFailure {
  /// Puts what a service refused on the field it belongs to, or on the form.
  init(_ error: any Error) {
    switch error {
    case let problem as FieldProblem: self = .field(problem)
    default: self = .form(advice: "Signing in failed. Try again in a moment.")
    }
  }
}
