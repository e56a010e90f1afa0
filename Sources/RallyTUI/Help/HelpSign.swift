import RallyDomain
import RallySystem

/// A sign of a screen and what it says: the legend at the end of the help.
struct HelpSign: Hashable {
  var sign: String
  /// In a few words.
  var title: String
  var sentence: String

  private init(_ sign: String, _ title: String, _ sentence: String) {
    (self.sign, self.title, self.sentence) = (sign, title, sentence)
  }

  /// The signs of a tab.
  static func all(on tab: RallyTab) -> [HelpSign] {
    switch tab {
    case .map: map
    case .missions: missions
    case .friends: friends
    }
  }

  private static let map = [
    HelpSign("●", "a friend, live", "The position of this friend is less than two minutes old."),
    HelpSign(
      "○", "a friend, older", "The position of this friend is between two and thirty minutes old."),
    HelpSign(
      "◌", "a friend, old",
      "The position of this friend is more than thirty minutes old. After a day it leaves the map."),
    HelpSign(
      "●3", "several friends",
      "So many people stand too near each other to be drawn apart. Zoom in to see each of them."),
    HelpSign("◆", "a mission", "The middle of a mission that you see. Enter opens it."),
    HelpSign(
      "2 9 km→", "out of view",
      "Somebody is beyond this edge of the map: how many they are, how far the nearest is, and in "
        + "which direction."),
    HelpSign(
      "<15m", "at most so old",
      "What a friend shares coarsely is known by the quarter of an hour: it is at most 15 minutes "
        + "old. 3m, without the sign, is the age itself, and now is this minute."),
    HelpSign("· ◦", "a city, a capital", "A dot is a city, a ring is the capital of its country."),
  ]

  private static let missions = [
    HelpSign("◆", "you are in it", "A mission that you have joined."),
    HelpSign("◇", "you may join", "A mission that you see and have not joined."),
    HelpSign("?", "you are invited", "Somebody has invited you to this mission."),
    HelpSign("✓", "done", "The mission, or the objective, is completed."),
    HelpSign("x", "called off", "Whoever made this mission has called it off."),
    HelpSign("▰▰▱", "how far it is", "How many of the objectives of the mission are done."),
  ]

  private static let friends = [
    HelpSign(
      "▮▮▮⇄▮▯▯", "you see, they see",
      "Left of the arrows is how exactly they show you where they are, right of them how exactly "
        + "they see you. ▮▯▯ is about 10 km, ▮▮▯ about 1 km, ▮▮▮ precisely, ▯▯▯ nothing."),
    HelpSign(
      "~20 km", "about so far", "One of the two positions is coarse: the distance is about that."),
    HelpSign(
      "<10 km", "at most so far", "You are nearer to each other than this; how near is not known."),
    HelpSign("?", "wants to be friends", "Somebody who has asked you to be friends."),
    HelpSign(">", "you asked", "Somebody whom you have asked to be friends."),
    HelpSign("○", "a friend", "You are friends."),
  ]
}
