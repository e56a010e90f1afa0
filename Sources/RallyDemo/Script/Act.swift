import FoundationEssentials
import RallyWire

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
