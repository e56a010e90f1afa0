/// Why typed text cannot be accepted, shown on its field.
public struct FieldProblem: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Field: String, Sendable, Codable {
    case username, displayName = "display_name", bio, email, password, server, place
    case title, brief, radius, capacity, starts, ends, repeats, until, visibility, live, objectives,
      text, code, file
  }

  public let field: Field
  /// One sentence that says what to type instead.
  public let advice: String

  public init(field: Field, advice: String) {
    self.field = field
    self.advice = advice
  }

  public var description: String { advice }
}
