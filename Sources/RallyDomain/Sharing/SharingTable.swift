import FoundationEssentials
import RallyText
import RallyWire

/// A sharing mode with an optional end.
public struct SharingSetting: Hashable, Sendable, Codable {
  public var mode: SharingMode
  /// Nil for no end.
  public var until: WireTime?

  public init(_ mode: SharingMode, until: WireTime? = nil) {
    self.mode = mode
    self.until = until
  }

  public func holds(at now: WireTime) -> Bool { until.map { $0 > now } ?? true }
}

/// The sharing settings for one friend.
public struct FriendSharing: Hashable, Sendable, Codable, Identifiable {
  public let id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  /// Decided for this friend; nil where the default decides.
  public var own: SharingSetting?
  /// Exactly what this friend saw of me when the table was fetched.
  public var location: LocationRecord?
  /// Until when this person sees my precise position, since I am on the way to a mission of ours.
  public var wayUntil: WireTime?

  public init(
    id: UUID, username: String, displayName: String, own: SharingSetting?,
    location: LocationRecord? = nil, wayUntil: WireTime? = nil
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.own = own
    self.location = location
    self.wayUntil = wayUntil
  }

  /// Whether this person sees me on the way.
  public func isFollower(at now: WireTime) -> Bool { wayUntil.map { $0 > now } ?? false }
}

/// All sharing settings: the default, and every friend; and who else sees me on the way. Of a ghost
/// all are off, which is what holds; what they are otherwise is known to the server.
public struct SharingTable: Hashable, Sendable, Codable {
  /// The default for friends without their own setting.
  public var general: SharingSetting
  /// In the server's order.
  public var friends: [FriendSharing]
  /// Members of missions who are no friends and see me on the way there.
  public var followers: [FriendSharing] = []
  /// Whether the server keeps me as a ghost.
  public var isGhost = false

  public init(general: SharingSetting = SharingSetting(.off), friends: [FriendSharing] = []) {
    self.general = general
    self.friends = friends
  }

  /// Also what an earlier version kept.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    general = try values.decode(SharingSetting.self, forKey: .general)
    friends = try values.decode([FriendSharing].self, forKey: .friends)
    followers = try values.decodeIfPresent([FriendSharing].self, forKey: .followers) ?? []
    isGhost = try values.decodeIfPresent(Bool.self, forKey: .isGhost) ?? false
  }

  public init(_ rows: [LocationSharingRecord]) {
    self.init()
    isGhost = rows.isGhost
    for row in rows {
      let setting = isGhost ? SharingSetting(.off) : SharingSetting(row.mode, until: row.until)
      guard let id = row.userID?.wrappedValue else {
        general = setting
        continue
      }
      let person = FriendSharing(
        id: id, username: row.username ?? "", displayName: row.displayName ?? "",
        own: row.isDefault ? nil : setting, location: row.location, wayUntil: row.wayUntil)
      if row.isFriend == false { followers.append(person) } else { friends.append(person) }
    }
  }

  /// The setting that applies to a friend now: their own until it ends, then the default until it
  /// ends, then `off`; `off` for anyone who is not a friend.
  public func setting(for friend: UUID, at now: WireTime) -> SharingSetting {
    guard let row = friends.first(where: { $0.id == friend }) else { return SharingSetting(.off) }
    return setting(of: row, at: now)
  }

  /// The mode that applies to a friend now.
  public func mode(for friend: UUID, at now: WireTime) -> SharingMode {
    setting(for: friend, at: now).mode
  }

  /// The most precise mode of all who see me now.
  public func audience(at now: WireTime) -> SharingMode { modes(at: now).max() ?? .off }

  /// What each person sees now: what is shared with them, or more while I am on the way.
  private func modes(at now: WireTime) -> [SharingMode] {
    friends.map { $0.isFollower(at: now) ? .precise : setting(of: $0, at: now).mode }
      + followers.filter { $0.isFollower(at: now) }.map { _ in .precise }
  }

  /// How many see me on the way to a mission.
  private func followerCount(at now: WireTime) -> Int {
    (friends + followers).count { $0.isFollower(at: now) }
  }

  public func summary(at now: WireTime, ghost: GhostPhase? = nil) -> SharingSummary {
    let modes = modes(at: now)
    return SharingSummary(
      sharedCount: modes.count { $0 > .off }, preciseCount: modes.count { $0 == .precise },
      followerCount: followerCount(at: now), ghost: ghost)
  }

  /// The next end of any setting, the default included, or of a way; nil if none has an end in the
  /// future.
  public func nextEnd(after now: WireTime) -> WireTime? {
    let settings = ([general] + friends.compactMap(\.own)).compactMap(\.until)
    return (settings + (friends + followers).compactMap(\.wayUntil)).filter { $0 > now }.min()
  }

  /// The most precise location that anybody saw when the table was fetched.
  public var mostExactLocation: LocationRecord? {
    (friends + followers).compactMap(\.location).max { $0.precision < $1.precision }
  }

  /// Changes one setting; a nil friend changes the default.
  mutating func set(_ setting: SharingSetting, for friend: UUID?) {
    guard let friend else {
      general = setting
      return
    }
    for index in friends.indices where friends[index].id == friend {
      friends[index].own = setting
    }
  }

  /// Whether it is known what holds for new and former friends. What somebody sees of me, by the
  /// default or on a way, only the server knows.
  func takes(_ changes: FriendIDs.Changes, at now: WireTime) -> Bool {
    let isSeen = !changes.added.isEmpty && !isGhost && general(at: now).mode > .off
    return !isSeen && !friends.contains { changes.removed.contains($0.id) && $0.wayUntil != nil }
  }

  /// Takes new friends, for whom the default decides, and lets go of former ones.
  mutating func take(_ changes: FriendIDs.Changes) {
    let new = Set(changes.added.map(\.id))
    friends.removeAll { changes.removed.contains($0.id) || new.contains($0.id) }
    for friend in changes.added {
      let follower = followers.first { $0.id == friend.id }
      followers.removeAll { $0.id == friend.id }
      let name = friend.displayName.lowercased()
      let index = friends.firstIndex { $0.displayName.lowercased() > name } ?? friends.endIndex
      friends.insert(
        FriendSharing(
          id: friend.id, username: friend.username, displayName: friend.displayName, own: nil,
          location: follower?.location, wayUntil: follower?.wayUntil), at: index)
    }
  }

  /// Removes settings that have ended, as the server does.
  mutating func dropEnded(at now: WireTime) {
    general = general(at: now)
    for index in friends.indices where friends[index].own?.holds(at: now) == false {
      friends[index].own = nil
    }
  }

  /// A friend's own setting, or the default for nil; nil if the friend has no own setting.
  func decision(for friend: UUID?) -> SharingSetting? {
    guard let friend else { return general }
    return friends.first { $0.id == friend }?.own
  }

  /// The setting that applies to a friend of the table now.
  public func setting(of row: FriendSharing, at now: WireTime) -> SharingSetting {
    if let own = row.own, own.holds(at: now) { return own }
    return general(at: now)
  }

  /// The default now: `off` once its end is past.
  func general(at now: WireTime) -> SharingSetting {
    general.holds(at: now) ? general : SharingSetting(.off)
  }
}
