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

  public init(
    id: UUID, username: String, displayName: String, own: SharingSetting?,
    location: LocationRecord? = nil
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.own = own
    self.location = location
  }
}

/// All sharing settings: the default, and every friend.
public struct SharingTable: Hashable, Sendable, Codable {
  /// The default for friends without their own setting.
  public var general: SharingSetting
  /// In the server's order.
  public var friends: [FriendSharing]

  public init(general: SharingSetting = SharingSetting(.off), friends: [FriendSharing] = []) {
    self.general = general
    self.friends = friends
  }

  public init(_ rows: [LocationSharingRecord]) {
    self.init()
    for row in rows {
      let setting = SharingSetting(row.mode, until: row.until)
      guard let id = row.userID?.wrappedValue else {
        general = setting
        continue
      }
      friends.append(
        FriendSharing(
          id: id, username: row.username ?? "", displayName: row.displayName ?? "",
          own: row.isDefault ? nil : setting, location: row.location))
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

  /// The most precise mode of all friends now.
  public func audience(at now: WireTime) -> SharingMode {
    friends.map { setting(of: $0, at: now).mode }.max() ?? .off
  }

  public func summary(at now: WireTime, ghost: GhostPhase? = nil) -> SharingSummary {
    let modes = friends.map { setting(of: $0, at: now).mode }
    return SharingSummary(
      sharedCount: modes.count { $0 > .off }, preciseCount: modes.count { $0 == .precise },
      ghost: ghost)
  }

  /// The next end of any setting, the default included; nil if none has an end in the future.
  public func nextEnd(after now: WireTime) -> WireTime? {
    ([general] + friends.compactMap(\.own)).compactMap(\.until).filter { $0 > now }.min()
  }

  /// The most precise location that any friend saw when the table was fetched.
  var mostExactLocation: LocationRecord? {
    friends.compactMap(\.location).max { $0.precision < $1.precision }
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
