import RallyRules

/// What one request of an app says.
struct PhonePost: Hashable, Sendable {
  var fixes: [PhoneFix] = []
  /// Why something in it cannot be understood, as a sentence; nil where nothing is wrong.
  var problem: String?
  /// Whether the reply tells of friends.
  var wantsFriends = false
}
