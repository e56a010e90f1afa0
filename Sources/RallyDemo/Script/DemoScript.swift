import FoundationEssentials
import RallyWire

/// Generates the timeline of the demo, deterministically from a seed.
///
/// The first minute has an event every few seconds. After that events are sparser and never end, so
/// cues are generated minute by minute.
public struct DemoScript: Hashable, Sendable {
  public let cast: [CastMember]
  public let seed: UInt64

  public init(cast: [CastMember] = Cast.all, seed: UInt64 = 1) {
    self.cast = cast
    self.seed = seed
  }

  /// All cues due in one minute, sorted by time.
  ///
  /// - Parameter minute: Counted from 0.
  public func cues(inMinute minute: Int) -> [Cue] {
    let scenes =
      minute == 0 ? Self.opening : minute < 4 ? Self.scenes(inMinute: minute) : asides(minute)
    return (scenes + movements(inMinute: minute)).sorted { $0.at < $1.at }
  }

  /// Actions performed before the visitor signs in, in order: they set up the running missions.
  static let before: [Act.Turn] = [
    Act.Turn("amina", .create(.trees)), Act.Turn(Cast.visitor.username, .join(.trees)),
    Act.Turn("amina", .checkIn(.trees, objective: 0)),
    Act.Turn("amina", .checkIn(.trees, objective: 0)),
    Act.Turn("amina", .checkIn(.trees, objective: 0)),
    Act.Turn("kenji", .create(.ride)), Act.Turn(Cast.visitor.username, .join(.ride)),
    Act.Turn("kenji", .checkIn(.ride, objective: 0)),
    Act.Turn("ana", .create(.lanterns)), Act.Turn(Cast.visitor.username, .join(.lanterns)),
    Act.Turn("ana", .say(.lanterns, "Starting at the market. Who is near?")),
    Act.Turn("max", .join(.lanterns)), Act.Turn("tomas", .join(.lanterns)),
    Act.Turn("noor", .join(.lanterns)),
    Act.Turn("max", .setOut(.lanterns)), Act.Turn("tomas", .setOut(.lanterns)),
    Act.Turn("noor", .setOut(.lanterns)),
  ]

  private static let opening: [Cue] = [
    Cue(.seconds(1), "ana", .publish),
    Cue(.seconds(10), "tomas", .askVisitor),
    Cue(.seconds(16), "ana", .say(.lanterns, "Nearly at the red one.")),
    Cue(.seconds(22), "zoe", .signOff),
    Cue(.seconds(27), "ines", .acceptVisitor),
    Cue(.seconds(32), "kenji", .checkIn(.ride, objective: 0)),
    Cue(.seconds(38), "lucia", .create(.crossing)),
    Cue(.milliseconds(38_500), "lucia", .invite(.crossing)),
    Cue(.seconds(44), "ana", .checkIn(.lanterns, objective: 0)),
    // Inside the mission's place by now: everybody in it reads that he has arrived.
    Cue(.seconds(47), "max", .publish),
    Cue(.seconds(50), "max", .say(.lanterns, "I see you. Which one first?")),
    Cue(.seconds(53), "zoe", .comeBack),
    Cue(.seconds(57), "ana", .say(.lanterns, "Red one found. The viewpoint is yours.")),
  ]

  private static func scenes(inMinute minute: Int) -> [Cue] {
    let all = [
      Cue(.seconds(75), "kenji", .say(.ride, "Asakusa. Two laps to go.")),
      Cue(
        .seconds(100), "lucia", .say(.crossing, "Fourteen knots from the south-west, swell long.")),
      Cue(.seconds(110), "tomas", .say(.lanterns, "Along the harbour now. Wait for me.")),
      Cue(.seconds(165), "tomas", .say(.lanterns, "Here. What did I miss?")),
      Cue(.seconds(170), "zoe", .signOff),
      Cue(.seconds(215), "zoe", .comeBack),
      Cue(.seconds(231), "ana", .checkIn(.lanterns, objective: 1)),
      Cue(.seconds(236), "ana", .say(.lanterns, "The stone cat looks at the harbour now.")),
    ]
    return all.filter { $0.at.components.seconds / 60 == minute }
  }

  /// At most one message per minute.
  private func asides(_ minute: Int) -> [Cue] {
    guard chance(minute, 0) < 0.6 else { return [] }
    let aside = DemoLines.asides[minute % DemoLines.asides.count]
    return [
      Cue(.seconds(60 * minute + Int(chance(minute, 1) * 50)), aside.who, .say(aside.0, aside.text))
    ]
  }

  /// Who is on the streets that the visitor sees.
  private static let near: Set<String> = ["ana", "max", "noor", "tomas"]

  /// Position updates: frequent in the first minute, and always frequent for members near the
  /// visitor.
  private func movements(inMinute minute: Int) -> [Cue] {
    cast.enumerated().flatMap { index, member -> [Cue] in
      let isNear = Self.near.contains(member.username)
      let pause = minute == 0 ? (isNear ? 5.0 : 12.0) : isNear ? 15.0 : 30.0
      let count = Int(60 / pause)
      return (0..<count).map { turn in
        let offset = (Double(turn) + chance(minute, 100 + index, turn)) * pause
        return Cue(.milliseconds(60_000 * minute + Int(offset * 1000)), member.username, .publish)
      }
    }
  }

  /// A pseudo-random number in 0..<1 that depends only on the seed and the arguments: SplitMix64's
  /// finaliser (Steele, Lea, Flood 2014).
  func chance(_ numbers: Int...) -> Double {
    var state = seed
    for number in numbers {
      state = (state ^ UInt64(bitPattern: Int64(number))) &+ 0x9E37_79B9_7F4A_7C15
      state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
      state ^= state >> 31
    }
    return Double(state >> 11) / 9_007_199_254_740_992
  }
}

extension Act {
  /// An action without a time.
  struct Turn: Hashable, Sendable {
    var who: String
    var act: Act

    init(_ who: String, _ act: Act) {
      self.who = who
      self.act = act
    }
  }
}

/// An action that a cast member performs.
public enum Act: Hashable, Sendable {
  /// Publishes their position.
  case publish
  /// Sends the visitor a friend request.
  case askVisitor
  /// Accepts the visitor's friend request.
  case acceptVisitor
  /// Goes offline.
  case signOff
  case comeBack
  case create(MissionPlan.Key)
  /// Invites the visitor to the mission.
  case invite(MissionPlan.Key)
  case join(MissionPlan.Key)
  /// Shows everybody in the mission the way there.
  case setOut(MissionPlan.Key)
  /// Joins a mission that the visitor created.
  case follow(missionID: UUID)
  /// Checks in at the objective with this index.
  case checkIn(MissionPlan.Key, objective: Int)
  case say(MissionPlan.Key, String)
  /// Posts a message in any mission, given by its server id.
  case answer(missionID: UUID, String)
}

/// A scheduled action of a cast member.
public struct Cue: Hashable, Sendable {
  /// Time since the demo started.
  public var at: Duration
  /// The cast member's username.
  public var who: String
  public var act: Act

  public init(_ at: Duration, _ who: String, _ act: Act) {
    self.at = at
    self.who = who
    self.act = act
  }
}

/// Messages of the cast, apart from those scripted for the first minutes.
enum DemoLines {
  /// Replies to any message of the visitor.
  static let answers = [
    "Good to hear from you.",
    "On my way.",
    "Same here. It is quieter than I thought.",
    "I can see you on the map.",
    "Save me a seat.",
    "Tell us when you are there.",
  ]

  /// Replies to a check-in by the visitor.
  static let cheers = [
    "That was quick.", "Well found.", "One more off the list.",
  ]

  /// Replies when the visitor joins a mission.
  static let welcomes = ["Glad you are in.", "Good, now we are enough."]

  /// The replies to an activity of the visitor; nil when it gets none.
  static func answers(to kind: ActivityKind) -> [String]? {
    switch kind {
    case .said: answers
    case .checkedIn: cheers
    case .joined: welcomes
    case .created, .left, .completed, .cancelled: nil
    }
  }

  /// Occasional messages after the scripted first minutes.
  static let asides: [(MissionPlan.Key, who: String, text: String)] = [
    (.lanterns, "ana", "The bus to the casino just rang at me."),
    (.ride, "kenji", "Wind from the bay today."),
    (.lanterns, "ana", "Somebody left the second gate open."),
    (.crossing, "lucia", "Two dolphins, then nothing for an hour."),
    (.ride, "kenji", "Coffee at Asakusa, then one more."),
    (.crossing, "lucia", "Reefed. It will pass."),
    (.lanterns, "ana", "Stopped for a pastry. No regrets."),
  ]
}
