import RallyWire

/// A parsed zone: `home 300m`, `home 2km city`, `office 200m at Rua Augusta 5, Lisbon`.
public struct ZoneRequest: Hashable, Sendable {
  /// Metres around the place, where nothing else is typed.
  public static let standardDistance = 300.0

  public var name: String
  /// Metres.
  public var distance = standardDistance
  public var allows = PrivacyZone.Allowance.nothing
  /// nil for where this device is.
  public var place: String?

  /// - Throws: `FieldProblem` that says what to type instead.
  public init(_ words: [String]) throws(FieldProblem) {
    name = try PrivacyRules.checkedName(words.first ?? "")
    var words = words.dropFirst()
    if let at = words.firstIndex(of: "at") {
      place = words[words.index(after: at)...].joined(separator: " ")
      words = words[..<at]
      guard place != "" else { throw Self.problem }
    }
    for word in words {
      if word.lowercased() == "city" {
        allows = .city
      } else if word.first?.isNumber == true {
        distance = try Self.distance(typed: word)
      } else {
        throw Self.problem
      }
    }
  }

  /// Parses `300m` or `2km`.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func distance(typed text: String) throws(FieldProblem) -> Double {
    try RadiusText.parse(text, allowed: PrivacyZone.distances)
  }

  private static let problem = FieldProblem(
    field: .text, advice: "Type a zone like home 300m, home 2km city, or office 200m at PLACE.")
}
