import RallyWire

/// What the cast says, apart from the scenes of the first minutes.
enum DemoLines {
  /// Answers to whatever the visitor says.
  static let answers = [
    "Good to hear from you.",
    "On my way.",
    "Same here. It is quieter than I thought.",
    "I can see you on the map.",
    "Save me a seat.",
    "Tell us when you are there.",
  ]

  /// Answers to a check-in of the visitor's.
  static let cheers = [
    "That was quick.", "Well found.", "One more off the list.",
  ]

  /// Said when the visitor joins.
  static let welcomes = ["Glad you are in.", "Good, now we are enough."]

  /// What answers something that the visitor did in a mission; nil where nothing is to be said.
  static func answers(to kind: ActivityKind) -> [String]? {
    switch kind {
    case .said: answers
    case .checkedIn: cheers
    case .joined: welcomes
    case .created, .left, .completed, .cancelled: nil
    }
  }

  /// Said now and then once the first minutes are over.
  static let asides: [(MissionPlan.Key, who: String, text: String)] = [
    (.lanterns, "ana", "The tram just rang at me."),
    (.ride, "kenji", "Wind from the bay today."),
    (.lanterns, "ana", "Somebody left the second gate open."),
    (.crossing, "lucia", "Two dolphins, then nothing for an hour."),
    (.ride, "kenji", "Coffee at Asakusa, then one more."),
    (.crossing, "lucia", "Reefed. It will pass."),
    (.lanterns, "ana", "Stopped for a pastry. No regrets."),
  ]
}
