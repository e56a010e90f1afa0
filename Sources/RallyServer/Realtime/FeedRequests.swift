import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// The hub's requests to the feed reader.
struct FeedRequests: Sendable {
  /// A channel that waits for authorization from the database.
  struct Join: Sendable {
    enum Kind: Sendable {
      case join(ref: JSONValue?)
      case renewal
      /// A channel without presence starts tracking.
      case presence(RealtimeMessage)

      /// Whether the channel adopts the checked claims.
      var bringsClaims: Bool { if case .presence = self { false } else { true } }
    }

    let channel: ChannelID
    let access: TopicAccess
    let kind: Kind
    let claims: AccessClaims
    let token: String?
    /// Whether the person's friends are needed.
    let wantsFriends: Bool

    var caller: Caller? { Caller(claims) }
  }

  /// A broadcast that waits for the sender's blocks.
  struct PendingBroadcast: Sendable {
    let broadcast: Broadcast
    /// nil for one that came over HTTP.
    let channel: ChannelID?
    /// The reference of the reply; nil if none is requested.
    let ref: JSONValue?
    /// Bytes of the body.
    let size: Int
  }

  var joins: [Join] = []
  var broadcasts: [PendingBroadcast] = []
  /// Times of users' last disconnection, to be stored.
  var lastSeen: [String: WireTime] = [:]
  /// Users with listening channels; nothing is read for others.
  var listeners: Set<String> = []
  /// Those of them whose events bring what they would fetch.
  var embedders: Set<String> = []
}

/// The changes up to a database snapshot, and the results of the hub's requests.
struct FeedSnapshot: Sendable {
  enum Item: Sendable {
    /// A friendship changed; `people` may see the event, each their own or all the only one, and
    /// `present` is what they track on other servers.
    case friendship(
      [ChangeEvent], people: [String], areFriends: Bool, present: [SharedPresence] = [])
    /// A row changed; readers are mapped to the index of their variant of the event.
    case rows([ChangeEvent], readers: [String: Int])
    /// What a row embeds changed and the row did not, which is nothing to bindings without `embed`.
    case embedded([ChangeEvent], readers: [String: Int])
    case sessionEnded(String)
    case left(mission: String, person: String)
    /// On another server.
    case presence(PresenceChange)
  }

  var items: [Item] = []
  /// Links to watch that changed or ended.
  var links: Set<String> = []
  /// What became of those that pages here are open of; nil for one that ended.
  var watched: [WatchLinkID: WatchState?] = [:]
  var activeSessions: Set<String> = []
  var friends: [String: [String]] = [:]
  /// The channels whose person may join their topic.
  var admitted: Set<ChannelID> = []
  /// What people track on other servers, for the channels that join.
  var present: [ChannelID: [SharedPresence]] = [:]
  /// Broadcasts of other servers.
  var broadcasts: [Broadcast] = []
  /// Whether other servers may have people who receive a broadcast of this one.
  var isShared = false
  /// Whether the keys in the database are others.
  var hasNewKeys = false
  /// Hidden users, by the sender of a broadcast.
  var hidden: [String: Set<String>] = [:]
  var lastPosition: ChangePosition
  /// The same in the relays of other servers.
  var lastRelay = ChangePosition.beginning
  /// Whether there may be more changes.
  var isMore = false
  var changes = 0
  /// The time of the newest change; nil without one.
  var newest: WireTime?
  /// When something is due by the clock next; nil while nothing is to come, and where there is more.
  var nextDue: WireTime?
}

// Answers the hub's requests from the snapshot that the changes are read from.
extension FeedSnapshot {
  /// - Parameter node: This server among others on the database; nil if there can be none.
  mutating func answer(
    joins: [FeedRequests.Join], broadcasts: [FeedRequests.PendingBroadcast], node: String? = nil,
    from database: Database
  ) throws {
    for join in joins {
      if try join.access.admits(join.caller?.userID, in: database) { admitted.insert(join.channel) }
      guard let caller = join.caller else { continue }
      if try caller.status(in: database) == .active {
        activeSessions.insert(caller.sessionID)
      }
      if join.wantsFriends, friends[caller.userID] == nil {
        friends[caller.userID] = try FriendRecords.friendIDs(of: caller.userID, in: database)
      }
      if join.wantsFriends, let node {
        present[join.channel] = try PresenceRecords.visible(
          to: caller.userID, in: join.channel.topic, except: node, from: database)
      }
    }
    if let node, !broadcasts.isEmpty {
      isShared = try NodeRecords.hasOthers(than: node, in: database)
    }
    for sender in Set((broadcasts.map(\.broadcast) + self.broadcasts).map(\.sender)) {
      hidden[sender] = try BlockRecords.hidden(from: sender, in: database)
    }
  }

  /// Reads what the other servers have published.
  ///
  /// - Parameter limit: Of entries; a broadcast may have 256 kB.
  mutating func relays(
    after position: ChangePosition, limit: Int, reader node: String, from database: Database
  ) throws {
    let relays = try RelayLog.entries(after: position, limit: limit, reader: node, from: database)
    lastRelay = relays.last?.position ?? position
    isMore = isMore || relays.count == limit
    for relay in relays where relay.node != node {
      switch relay.content {
      case .presence(let change): items.append(.presence(change))
      case .broadcast(let broadcast): broadcasts.append(broadcast)
      case .keys: hasNewKeys = true
      case nil: break
      }
    }
  }
}
