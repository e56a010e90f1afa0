import RallyWire

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
