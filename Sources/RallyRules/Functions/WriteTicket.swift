import RallyStorage
import RallyWire
import Synchronization

/// Charges a mutation to its caller's write budget: once per call, however often its transaction is
/// retried, and not for a repeated `p_client_id`. A long body is charged before it is parsed, and one
/// that cannot be read as well.
final class WriteTicket: Sendable {
  private let budget: Budget?
  private let limiter: RateLimiter
  private let now: @Sendable () -> WireTime
  private let isTaken = Atomic(false)
  private let isSpared = Atomic(false)

  /// - Parameter function: Its name selects the budget.
  init(function: String, limiter: RateLimiter, now: @escaping @Sendable () -> WireTime) {
    budget = Budget.writes(of: function)
    self.limiter = limiter
    self.now = now
  }

  /// - Throws: `RateRefusal` if the budget is used up; `RateLimiter.Shortage`.
  func take(for caller: Caller, in database: Database) throws {
    guard let budget, limiter.budgets[budget] < Budgets.largest,
      !isTaken.load(ordering: .relaxed)
    else { return }
    let share = try AccountAge(of: caller.userID, at: now(), in: database).share
    try limiter.take(budget, of: caller.userID, share: share)
    isTaken.store(true, ordering: .relaxed)
  }

  /// The call turned out to be a repeated one.
  func isRepeat() { isSpared.store(true, ordering: .relaxed) }

  /// Gives back what was taken for a repeated call, after its transaction.
  func settle(for caller: Caller) async throws {
    guard let budget, isTaken.load(ordering: .relaxed), isSpared.load(ordering: .relaxed) else {
      return
    }
    try await limiter.giveBack(budget, of: caller.userID)
  }
}

extension Budget {
  /// The write budget of a function; nil for reads and for functions that `RateLimiter.Kind`
  /// counts.
  static func writes(of function: String) -> Budget? {
    switch function {
    case CreateMission.name: .missionsPerMinute
    case SayInMission.name: .messagesPerMinute
    case UpdateMission.name, CancelMission.name, CompleteMission.name, SkipOccurrence.name,
      JoinMission.name, LeaveMission.name, InviteToMission.name, CheckIn.name:
      .missionChangesPerMinute
    case RespondToFriendRequest.name, CancelFriendRequest.name, RemoveFriend.name,
      BlockUser.name, UnblockUser.name, RevokeInvitation.name, CloseLocationAsk.name,
      SetGhost.name:
      .friendChangesPerMinute
    case AskLocation.name: .asksPerMinute
    case PublishLocations.name, WithdrawLocation.name, SetLocationSharing.name,
      SetPrivacyRules.name, AddPhone.name, RevokePhone.name, AddSSHKey.name,
      RemoveSSHKey.name, MakeCalendarAddress.name, RevokeCalendarAddress.name, BeginOnMyWay.name,
      EndOnMyWay.name, MakeWatchLink.name, FeedWatchLink.name, EndWatchLinks.name:
      .positionsPerMinute
    default: nil
    }
  }
}
