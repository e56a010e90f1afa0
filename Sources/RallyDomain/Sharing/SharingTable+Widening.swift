import FoundationEssentials
import RallyWire

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
