import HTTPTypes
import RallyWire

/// The preferences in a request's headers: `Prefer`, `Range` and `Accept`.
package struct Preferences: Sendable {
  /// Whether the total count is requested. Estimates are answered exactly.
  package private(set) var counts = false
  /// Whether what a mutation did is requested; only functions that say it look at this.
  package private(set) var wantsRepresentation = false
  /// Whether one row is requested as an object.
  package private(set) var isSingle = false
  /// Whether null columns are left out.
  private(set) var stripsNulls = false
  /// First and last row; nil for an open end.
  private(set) var range: (first: Int, last: Int?)
  /// The applied preferences, for the response.
  package private(set) var applied: [String] = []

  /// - Throws: `PGRST122` for an unknown preference with `handling=strict`, `PGRST103` for a
  ///   descending range, `PGRST107` for an unsupported media type.
  package init(_ headers: HTTPFields) throws {
    range = try Preferences.range(headers[.range])
    try readPreferences(headers[values: .prefer])
    try readMediaTypes(headers[values: .accept])
  }

  private mutating func readPreferences(_ lines: [String]) throws {
    var unknown: [String] = []
    var isStrict = false
    for preference in lines.flatMap({ $0.split(separator: ",") }) {
      let text = preference.filter { $0 != " " }
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts.first ?? "", parts.count > 1 ? parts[1] : "") {
      case ("count", "exact"), ("count", "planned"), ("count", "estimated"):
        counts = true
        applied.append(text)
      case ("handling", "strict"), ("handling", "lenient"):
        isStrict = parts[1] == "strict"
        applied.append(text)
      case ("return", "representation"): wantsRepresentation = true
      // These concern writes and have no effect.
      case ("return", "minimal"), ("return", "headers-only"),
        ("resolution", _), ("missing", _), ("tx", _), ("max-affected", _), ("params", _):
        break
      default: unknown.append(text)
      }
    }
    guard isStrict, !unknown.isEmpty else { return }
    throw FunctionFailure(
      code: "PGRST122", message: "Invalid preferences given with handling=strict",
      details: "Invalid preferences: \(unknown.joined(separator: ", "))")
  }

  private mutating func readMediaTypes(_ lines: [String]) throws {
    let types = lines.flatMap { $0.split(separator: ",") }.map { type in
      type.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
    }
    guard !types.isEmpty else { return }
    for type in types {
      switch type.first ?? "" {
      case "*/*", "application/*", "application/json": return
      case "application/vnd.pgrst.object+json", "application/vnd.pgrst.object":
        isSingle = true
      case "application/vnd.pgrst.array+json", "application/vnd.pgrst.array": break
      default: continue
      }
      stripsNulls = type.contains("nulls=stripped")
      return
    }
    throw FunctionFailure(
      code: "PGRST107",
      message: "None of these media types are available: \(lines.joined(separator: ", "))")
  }

  /// Parses `0-19` and `10-`; other ranges are ignored.
  private static func range(_ text: String?) throws -> (first: Int, last: Int?) {
    let parts = (text ?? "").split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]), first >= 0 else { return (0, nil) }
    guard !parts[1].isEmpty else { return (first, nil) }
    guard let last = Int(parts[1]) else { return (0, nil) }
    guard first <= last else {
      throw FunctionFailure.badRange(
        "The lower boundary must be lower than or equal to the upper boundary in the Range header.")
    }
    return (first, last)
  }
}

extension HTTPField.Name {
  /// A name that is well formed as it is written in the source.
  package static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("not a field name: \(text)") }
    return name
  }

  static let prefer = known("Prefer")
}
