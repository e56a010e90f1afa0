import RallyWire

/// A mission that a cast member creates.
public struct MissionPlan: Hashable, Sendable {
  public enum Key: String, Hashable, Sendable, CaseIterable {
    case lanterns, ride, crossing, trees
  }

  public struct Objective: Hashable, Sendable {
    public var title: String
    /// Degrees.
    public var latitude: Double
    public var longitude: Double
    /// Metres.
    public var radius: Double
    public var count = 1
  }

  public let key: Key
  public let creator: String
  public let title: String
  public let brief: String
  public let latitude: Double
  public let longitude: Double
  /// Metres.
  public let radius: Double
  public let capacity: Int?
  /// Time from creation to the end of the mission.
  public let duration: Duration
  public var repeats: MissionRepeat?
  public let objectives: [Objective]

  public static func plan(of key: Key) -> MissionPlan {
    switch key {
    case .lanterns: lanterns
    case .ride: ride
    case .crossing: crossing
    case .trees: trees
    }
  }

  /// Centred at the harbour below the visitor; the last objective is at the visitor's position.
  private static let lanterns = MissionPlan(
    key: .lanterns, creator: "ana", title: "Lanterns of Monaco",
    brief: "Four lights to find before they are put out. Start anywhere.",
    latitude: 43.73455, longitude: 7.42275, radius: 130, capacity: 8,
    duration: .seconds(2 * 3600 + 600),
    objectives: [
      Objective(title: "Red lantern", latitude: 43.73424, longitude: 7.41852, radius: 60),
      Objective(title: "Stone cat", latitude: 43.73448, longitude: 7.42137, radius: 60),
      Objective(title: "Blue door", latitude: 43.73317, longitude: 7.42126, radius: 60),
      Objective(title: "The viewpoint", latitude: 43.7312, longitude: 7.4215, radius: 60),
    ])

  private static let ride = MissionPlan(
    key: .ride, creator: "kenji", title: "Dawn ride round the moat",
    brief: "Four laps before the city wakes.",
    latitude: 35.6950, longitude: 139.7750, radius: 6000, capacity: nil,
    duration: .seconds(5 * 3600), repeats: .weekly,
    objectives: [
      Objective(title: "A lap", latitude: 35.6950, longitude: 139.7750, radius: 6000, count: 4)
    ])

  private static let crossing = MissionPlan(
    key: .crossing, creator: "lucia", title: "Write the ship's log",
    brief: "A line of weather from wherever you are.",
    latitude: -34.95, longitude: -54.60, radius: 60_000, capacity: nil,
    duration: .seconds(26 * 3600), objectives: [])

  private static let trees = MissionPlan(
    key: .trees, creator: "amina", title: "Three trees for Thiès",
    brief: "Done before noon.",
    latitude: 14.7400, longitude: -17.3900, radius: 40_000, capacity: 5,
    duration: .seconds(8 * 3600),
    objectives: [
      Objective(
        title: "A tree in the ground", latitude: 14.7400, longitude: -17.3900, radius: 40_000,
        count: 3)
    ])
}
