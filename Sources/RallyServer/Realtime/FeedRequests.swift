import RallyWire

/// What the hub wants to know or to have stored.
struct FeedRequests: Sendable {
  /// A channel that waits for the database's word.
  struct Join: Sendable {
    enum Kind: Sendable {
      case join(ref: String?)
      /// A new token for a channel that is joined already.
      case renewal
      /// Somebody tracks themselves who did not ask to be told of presence.
      case presence(RealtimeMessage)

      /// Whether the channel takes the claims that were looked at.
      var bringsClaims: Bool { if case .presence = self { false } else { true } }
    }

    let channel: ChannelID
    let room: RealtimeRoom
    let kind: Kind
    let claims: AccessClaims
    let token: String?
    /// Whether the person's friends are needed.
    let wantsFriends: Bool

    var caller: Caller? { Caller(claims) }
  }

  /// A broadcast that waits for the word on who exists for its sender.
  struct Broadcast: Sendable {
    let topic: String
    let sender: String
    /// nil for one that came over HTTP.
    let channel: ChannelID?
    let event: String
    let body: BroadcastBody
    /// Of the reply; nil when none is wanted.
    let ref: String?
    let size: Int
  }

  var joins: [Join] = []
  var broadcasts: [Broadcast] = []
  /// When people's last connection ended.
  var lastSeen: [String: WireTime] = [:]
  /// Who listens to changes; for all others nothing is looked up.
  var listeners: Set<String> = []
}

/// One snapshot: the changes up to it, and the answers to the hub's questions.
struct FeedSnapshot: Sendable {
  enum Item: Sendable {
    /// A friendship changed; `people` are those who may know.
    case friendship(ChangeEvent, people: [String], areFriends: Bool)
    /// A row changed; each reader gets the event that was cut for them, by its number.
    case rows([ChangeEvent], readers: [String: Int])
    case sessionEnded(String)
    /// Somebody is no longer in a mission.
    case left(mission: String, person: String)
  }

  var items: [Item] = []
  var livingSessions: Set<String> = []
  var friends: [String: [String]] = [:]
  /// Of the joins in missions' rooms, those that may be.
  var members: Set<ChannelID> = []
  /// Who does not exist for whom, for the senders of broadcasts.
  var hidden: [String: Set<String>] = [:]
  var lastPosition: ChangePosition
  /// Whether the feed may go on behind it.
  var isMore = false
  /// How many changes it is made of.
  var changes = 0
  /// The time of the last one; nil without one.
  var newest: WireTime?
}
