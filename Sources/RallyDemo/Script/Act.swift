import Foundation
import RallyWire

/// What one of the cast does.
public enum Act: Hashable, Sendable {
  /// Says where they are.
  case publish
  /// Asks the visitor to be friends.
  case askVisitor
  /// Answers the visitor's request.
  case acceptVisitor
  /// Goes offline.
  case signOff
  case comeBack
  case create(MissionPlan.Key)
  /// Asks the visitor into the mission.
  case invite(MissionPlan.Key)
  case join(MissionPlan.Key)
  /// Joins a mission that the visitor thought up.
  case follow(missionID: UUID)
  /// Checks in at the objective with this number.
  case checkIn(MissionPlan.Key, objective: Int)
  case say(MissionPlan.Key, String)
  /// Says something in a mission that is known by its id only.
  case answer(missionID: UUID, String)
}

/// An act, who does it, and when.
public struct Cue: Hashable, Sendable {
  /// Since the demo began.
  public var at: Duration
  /// A username.
  public var who: String
  public var act: Act

  public init(_ at: Duration, _ who: String, _ act: Act) {
    self.at = at
    self.who = who
    self.act = act
  }
}
