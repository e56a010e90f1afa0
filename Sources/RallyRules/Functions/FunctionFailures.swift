import RallyWire

/// Errors of the protocol itself, with PostgREST's codes and messages.
extension FunctionFailure {
  /// Undecodable token or bad signature.
  package static let badToken = "PGRST301"
  package static let tokenExpired = "PGRST303"
  package static let forbidden = "42501"
  /// PostgREST's code for a custom HTTP status.
  package static let rateLimited = "PT429"
  /// A query string that cannot be read.
  package static let badQuery = "PGRST100"

  static var repeatMismatch: FunctionFailure {
    FunctionFailure(
      code: "PT409", message: "This p_client_id belongs to another call.",
      hint: FailureReason.repeatMismatch.rawValue)
  }

  /// No function has this name and these argument names.
  package static func unknown(
    _ name: String, arguments: some Sequence<String>, suggestion: String? = nil
  ) -> FunctionFailure {
    let sorted = arguments.sorted()
    let signature =
      sorted.isEmpty
      ? "public.\(name) without parameters" : "public.\(name)(\(sorted.joined(separator: ", ")))"
    let searched =
      sorted.isEmpty
      ? "public.\(name) without parameters"
      : "public.\(name) with parameters \(sorted.joined(separator: ", "))"
    return FunctionFailure(
      code: FunctionFailure.unknownFunction,
      message: "Could not find the function \(signature) in the schema cache",
      details: "Searched for the function \(searched), but no matches were found in the schema"
        + " cache.",
      hint: suggestion.map { "Perhaps you meant to call the function public.\($0)" })
  }

  /// A part of a query string that cannot be read.
  static func unparsable(
    _ part: String, _ text: String, _ expected: String, column: Int = 1
  ) -> FunctionFailure {
    FunctionFailure(
      code: badQuery,
      message: "\"failed to parse \(part) (\(text))\" (line 1, column \(column))",
      details: "expecting \(expected)")
  }

  /// An operator that PostgreSQL does not have for a type.
  static func noOperator(_ symbol: String, _ type: ColumnType) -> FunctionFailure {
    FunctionFailure(
      code: "42883", message: "operator does not exist: \(type.title) \(symbol) unknown")
  }

  static func badRange(_ details: String) -> FunctionFailure {
    FunctionFailure(code: "PGRST103", message: "Requested range not satisfiable", details: details)
  }

  package static func unknownTable(_ name: String) -> FunctionFailure {
    FunctionFailure(
      code: "PGRST205",
      message: "Could not find the table 'public.\(name)' in the schema cache")
  }

  /// The HTTP status that PostgREST gives this code.
  package var status: Int {
    switch code {
    case "PGRST202", "PGRST205", "42P01", "42883": 404
    case "PGRST301", "PGRST302", "PGRST303": 401
    case "PGRST101": 405
    case "25006": 405
    case "PGRST103": 416
    case "PGRST106", "PGRST107", "PGRST116": 406
    case "23505", "23503": 409
    case "42501": 403
    case "XX000": 500
    default:
      if code.hasPrefix("PT"), let status = Int(code.dropFirst(2)) { status } else { 400 }
    }
  }
}
