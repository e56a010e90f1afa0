import RallyWire

/// What a file would bring, said before anything is made.
public struct ImportPreview: Sendable {
  /// A mission that would be made, and the line of the file that it begins on.
  public struct Item: Sendable {
    public var line: Int
    /// With a client id that comes from the content: see `ContentID`.
    public var call: CreateMission

    public init(line: Int, call: CreateMission) {
      self.line = line
      self.call = call
    }
  }

  public var items: [Item]
  /// In the order of their lines. What is wrong with one mission keeps that one out, no other.
  public var problems: [ImportProblem]

  public init(items: [Item] = [], problems: [ImportProblem] = []) {
    self.items = items
    self.problems = problems
  }

  public var missions: [CreateMission] { items.map(\.call) }

  /// `2 missions, 1 problem.`
  public var sentence: String {
    let missions = items.count.counted("mission")
    return problems.isEmpty ? "\(missions)." : "\(missions), \(problems.count.counted("problem"))."
  }
}

/// Something in a file that cannot be made a mission of.
public struct ImportProblem: Error, Hashable, Sendable, Codable {
  /// The first line is 1; never past the last one.
  public var line: Int
  /// One sentence.
  public var sentence: String

  public init(line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

/// How much a file may hold.
public enum ImportLimits {
  public static let bytes = 5_000_000
  public static let missions = 1000
  /// How deep arrays, objects and elements may stand in each other.
  public static let depth = 64
  /// More than these are counted and not told.
  public static let problems = 1000
}
