import FoundationEssentials

/// Limits and rules of missions. The client applies them to answer at once, the server to decide.
public enum MissionRules {
  /// Metres around a mission's centre.
  public static let radii = 10.0...100_000.0
  /// Metres around an objective's own place.
  public static let objectiveRadii = 10.0...100_000.0
  /// People, the creator among them.
  public static let capacities = 1...1000
  public static let objectiveLimit = 50
  /// How many check-ins one objective may need.
  public static let counts = 1...10_000
  /// From start to end.
  public static let longestDuration = Duration.seconds(366 * 86_400)
  public static let inviteLimit = 100
  /// From the beginning of "on my way" to its end at the latest.
  public static let longestWay = Duration.seconds(4 * 3600)
  /// When a way that begins now ends at the latest: with the mission, or after `longestWay`.
  public static func endOfWay(from now: WireTime, missionEndsAt: WireTime?) -> WireTime {
    let latest = now.advanced(by: longestWay)
    return missionEndsAt.map { min($0, latest) } ?? latest
  }
  /// Members to whom one person on the way is shown.
  public static let readerLimit = 1000
  /// Metres; a check-in with a less accurate position is refused.
  public static let worstAccuracy = 1000.0
  /// Metres of a position's inaccuracy that are tolerated at places with a smaller radius.
  public static let leastTolerance = 50.0

  /// Whether somebody measured at `distance` from the centre counts as being at a place.
  ///
  /// The measured inaccuracy is tolerated up to the radius itself (50 m for smaller places), so
  /// that poor accuracy gives no advantage.
  ///
  /// - Parameters:
  ///   - distance: Metres.
  ///   - accuracy: Metres; nil counts as exact.
  ///   - radius: Metres.
  public static func isWithin(distance: Double, accuracy: Double?, radius: Double) -> Bool {
    distance <= radius + min(max(accuracy ?? 0, 0), max(radius, leastTolerance))
  }
}

/// The stored state of a mission; its times are separate.
public enum MissionState: String, Hashable, Sendable, Codable {
  case open, completed, cancelled
}

/// The phase of a mission at a moment.
public enum MissionPhase: String, Hashable, Sendable, Codable, CaseIterable {
  /// Open, and its start is still to come.
  case upcoming
  /// Open, and running.
  case active
  /// Every objective is done, or the creator completed it.
  case completed
  case cancelled
  /// Its end came before it was completed.
  case ended

  /// The phase of a mission at a moment; the client and the server use the same rule.
  ///
  /// - Parameter endsAt: nil for a mission that ends only when it is completed or cancelled.
  public init(state: MissionState, startsAt: WireTime, endsAt: WireTime?, at time: WireTime) {
    switch state {
    case .completed: self = .completed
    case .cancelled: self = .cancelled
    case .open:
      if let endsAt, time >= endsAt {
        self = .ended
      } else {
        self = time < startsAt ? .upcoming : .active
      }
    }
  }

  /// Whether people can still join, check in or post messages.
  public var isOpen: Bool { self == .upcoming || self == .active }
}

/// Who may see and join a mission. Its members always see it.
public enum MissionVisibility: String, Hashable, Sendable, Codable, CaseIterable {
  /// Its creator alone; nobody can be invited.
  case `private`
  /// People who were invited, by name or by a code.
  case invited
  /// The creator's friends, and people who were invited.
  case friends
}

/// The rules for the texts of missions.
public enum MissionText {
  /// A title of 1–60 grapheme clusters (`TextLimits.title`) on one line, cleaned and trimmed.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func title(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(text, on: .title, ifEmpty: "Give the mission a title.")
  }

  /// A description of at most 500 grapheme clusters (`TextLimits.brief`); may be empty.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func brief(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.brief.checked(text, on: .brief)
  }

  /// The title of an objective: 1–60 grapheme clusters (`TextLimits.title`).
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func objective(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(
      text, on: .objectives, ifEmpty: "Say in a few words what there is to do.")
  }

  /// A message of a member: 1–500 grapheme clusters (`TextLimits.line`).
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func line(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.line.checked(text, on: .text, ifEmpty: "Write something first.")
  }
}

/// `rally://mission/ID`: opens a mission in the Rally of whoever may see it. The id reveals nothing
/// and lets nobody in.
public struct MissionLink: Hashable, Sendable, CustomStringConvertible {
  public static let prefix = "rally://mission/"

  public let id: UUID

  public init(id: UUID) { self.id = id }

  /// - Returns: nil for anything but such a link.
  public init?(_ text: String) {
    guard text.lowercased().hasPrefix(Self.prefix),
      let id = UUID(wireText: String(text.dropFirst(Self.prefix.count)))
    else { return nil }
    self.id = id
  }

  public var description: String { Self.prefix + id.wireText }
}
