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
      guard let id = row.userID else {
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
  public func audience(at now: WireTime) -> SharingMode {
    let summary = summary(at: now)
    if summary.preciseCount > 0 { return .precise }
    return summary.sharedCount > 0
      ? friends.lazy.map { setting(of: $0, at: now).mode }.max() ?? .off : .off
  }

  /// Who sees how much now: what is shared with them, or more while I am on the way.
  public func summary(at now: WireTime, ghost: GhostPhase? = nil) -> SharingSummary {
    var summary = SharingSummary(sharedCount: 0, preciseCount: 0, ghost: ghost)
    let general = general(at: now).mode
    // By index: a row that is handed over is copied, and there may be thousands.
    for index in friends.indices {
      let isFollower = friends[index].isFollower(at: now)
      let own = friends[index].own.flatMap { $0.holds(at: now) ? $0.mode : nil }
      let mode = isFollower ? .precise : own ?? general
      if isFollower { summary.followerCount += 1 }
      if mode > .off { summary.sharedCount += 1 }
      if mode == .precise { summary.preciseCount += 1 }
    }
    let others = followers.count { $0.isFollower(at: now) }
    summary.followerCount += others
    summary.sharedCount += others
    summary.preciseCount += others
    return summary
  }

  /// The next end of any setting, the default included, or of a way; nil if none has an end in the
  /// future.
  public func nextEnd(after now: WireTime) -> WireTime? {
    var next: WireTime?
    func take(_ time: WireTime?) {
      if let time, time > now, next.map({ time < $0 }) ?? true { next = time }
    }
    take(general.until)
    for index in friends.indices {
      take(friends[index].own?.until)
      take(friends[index].wayUntil)
    }
    for row in followers {
      take(row.own?.until)
      take(row.wayUntil)
    }
    return next
  }

  /// The most precise location that anybody saw when the table was fetched.
  public var mostExactLocation: LocationRecord? {
    [friends, followers].compactMap { rows in
      rows.lazy.compactMap(\.location).max { $0.precision < $1.precision }
    }.max { $0.precision < $1.precision }
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
  func takes(_ changes: KnownFriends.Changes, at now: WireTime) -> Bool {
    let isSeen = !changes.added.isEmpty && !isGhost && general(at: now).mode > .off
    return !isSeen
      && !friends.indices.contains {
        friends[$0].wayUntil != nil && changes.removed.contains(friends[$0].id)
      }
  }

  /// Takes new friends, for whom the default decides, and other names; lets go of former friends.
  mutating func take(_ changes: KnownFriends.Changes) {
    remove(changes.removed.union(changes.added.map(\.id)))
    let rows = remove(Set(changes.renamed.map(\.id)))
    for friend in changes.added {
      let follower = followers.first { $0.id == friend.id }
      followers.removeAll { $0.id == friend.id }
      insert(
        FriendSharing(
          id: friend.id, username: friend.username, displayName: friend.displayName, own: nil,
          location: follower?.location, wayUntil: follower?.wayUntil))
    }
    for var row in rows {
      guard let friend = changes.renamed.first(where: { $0.id == row.id }) else { continue }
      (row.username, row.displayName) = (friend.username, friend.displayName)
      insert(row)
    }
  }

  @discardableResult
  private mutating func remove(_ ids: Set<UUID>) -> [FriendSharing] {
    // To hash thousands takes longer than to look for a few.
    guard ids.count > 8 else {
      return ids.compactMap { id in
        friends.indices.first { friends[$0].id == id }.map { friends.remove(at: $0) }
      }
    }
    let rows = friends.filter { ids.contains($0.id) }
    friends.removeAll { ids.contains($0.id) }
    return rows
  }

  private mutating func insert(_ row: FriendSharing) {
    let name = row.displayName.lowercased()
    friends.insert(row, at: friends.firstPlace { $0.displayName.lowercased() <= name })
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

/// A friend who would see more of me than now.
public struct WidenedSharing: Hashable, Sendable {
  public var friend: FriendSharing
  /// What would hold for them.
  public var setting: SharingSetting
}

extension SharingTable {
  /// The friends who would see more of me than they do now, or as much for longer.
  ///
  /// - Parameters:
  ///   - setting: Nil or one that has ended lets the default decide.
  ///   - friendID: Nil changes the default.
  public func seeingMore(
    with setting: SharingSetting?, for friendID: UUID?, at now: WireTime
  ) -> [WidenedSharing] {
    var changed = self
    let held = setting.flatMap { $0.holds(at: now) ? $0 : nil }
    if let friendID {
      for index in changed.friends.indices where changed.friends[index].id == friendID {
        changed.friends[index].own = held
      }
    } else {
      changed.general = held ?? SharingSetting(.off)
    }
    return zip(friends, changed.friends).compactMap { before, after in
      let wanted = changed.setting(of: after, at: now)
      return wanted.isMore(than: self.setting(of: before, at: now))
        ? WidenedSharing(friend: after, setting: wanted) : nil
    }
  }
}

extension SharingSetting {
  /// Whether more is seen, or as much for longer.
  fileprivate func isMore(than other: SharingSetting) -> Bool {
    guard mode == other.mode else { return mode > other.mode }
    guard mode > .off, let end = other.until else { return false }
    return until.map { $0 > end } ?? true
  }
}

extension LocationSharingStore {
  /// The friends who would see more of me than they do now with this decision; of unknown sharing
  /// nobody.
  public func seeingMore(with setting: SharingSetting?, for friendID: UUID?) -> [WidenedSharing] {
    sharing?.seeingMore(with: setting, for: friendID, at: .now) ?? []
  }
}

/// One decision about sharing, and what it replaced.
public struct SharingChange: Hashable, Sendable {
  /// Nil for the default.
  public var friendID: UUID?
  /// Nil where the default decided.
  public var before: SharingSetting?
  public var after: SharingSetting
}

/// The cached sharing for the first frame.
struct SharingSnapshot: StoreSnapshot {
  static let name = "sharing"

  var sharing: SharingTable
  /// When it was fetched.
  var asOf: WireTime
}
