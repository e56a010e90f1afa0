import RallyWire

/// What an owner's decisions allow one friend at one moment.
struct SharingPermission: Hashable, Sendable {
  /// The decision that applies; `.unset` if none does.
  let sharing: Sharing
  /// Whether the default decides.
  let isDefault: Bool
  /// Why the friend sees nothing; nil while `sharing` allows something.
  private let withheld: WithheldReason?

  /// How precisely the friend may see the owner, never `off`; or why not at all.
  var allowed: Result<SharingMode, WithheldReason> {
    if let withheld { return .failure(withheld) }
    return .success(sharing.mode)
  }

  /// The friend's own decision while it lasts, or else the default while it lasts.
  ///
  /// - Parameters:
  ///   - hasEnded: Whether a share with this friend, or by default, has ended and was removed.
  ///   - isGhost: Whether nobody sees the owner, whatever is shared.
  ///   - time: Shares that end at or before this time count no more, even before they are removed.
  init(
    own: Sharing?, default: Sharing?, hasEnded: Bool, isGhost: Bool, at time: WireTime
  ) {
    let applying = [own, `default`].firstIndex { $0?.holds(at: time) == true }
    sharing = (applying == 0 ? own : applying == 1 ? `default` : nil) ?? .unset
    isDefault = applying != 0
    let isExpired =
      hasEnded
      || [own, `default`].contains { $0.map { $0.mode > .off && !$0.holds(at: time) } ?? false }
    withheld =
      isGhost
      ? .ghost : sharing.mode > .off ? nil : applying == 0 ? .off : isExpired ? .expired : .off
  }
}
