import RallySystem
import RallyWire

/// A parsed position command: `Lisbon`, `38.72,-9.14 for 2h`.
public struct HereRequest: Hashable, Sendable {
  /// A city, a street or coordinates.
  public var place: String
  /// How long it holds; nil if it holds until the device moves.
  public var duration: Duration?
  /// The same as typed, such as `2h`.
  public var end: String?

  /// - Throws: `FieldProblem` if ` for ` is followed by no duration.
  public init(_ text: String) throws(FieldProblem) {
    place = text
    let words = text.split(separator: " ")
    // A place whose name ends like this is still found by its coordinates.
    guard words.count > 2, words[words.count - 2].lowercased() == "for",
      let last = words.last, last.first?.isNumber == true
    else { return }
    place = words.dropLast(2).joined(separator: " ")
    duration = try ShareTime.duration(typed: String(last))
    end = last.lowercased()
  }
}

/// Places whose names only begin with what was typed: a person chooses one of them.
public struct HereChoice: Hashable, Sendable {
  static let limit = 8

  public let request: HereRequest
  public let places: [Place]
}
