import HTTPTypes
import RallyWire

/// What the headers of a request ask of rows: `Prefer`, `Range` and `Accept`.
struct Preferences: Sendable {
  /// Whether the number of all rows is wanted. An estimate is answered exactly.
  private(set) var counts = false
  /// Whether exactly one row is wanted, bare.
  private(set) var isSingle = false
  /// Whether null columns are left out.
  private(set) var stripsNulls = false
  /// First and last row; nil for an end that is open.
  private(set) var range: (first: Int, last: Int?)
  /// What the answer says it has honoured.
  private(set) var applied: [String] = []

  /// - Throws: `PGRST122` for a preference that is not known with `handling=strict`, `PGRST103` for
  ///   a range that runs backwards, `PGRST107` for a media type that is not offered.
  init(_ headers: HTTPFields) throws {
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
      // About rows that are written: nothing to do here.
      case ("return", "minimal"), ("return", "representation"), ("return", "headers-only"),
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

  /// Reads `0-19` and `10-`; anything else, such as a range of bytes, asks for nothing.
  private static func range(_ text: String?) throws -> (first: Int, last: Int?) {
    let parts = (text ?? "").split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
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
