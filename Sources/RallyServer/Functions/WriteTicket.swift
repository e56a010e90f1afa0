import RallyWire
import Synchronization

/// What one call that changes something takes out of its caller's budget: once, however often its
/// transaction is tried, and nothing when the call is a repeat.
final class WriteTicket: Sendable {
  private let budget: Budget?
  private let limiter: RateLimiter
  private let now: @Sendable () -> WireTime
  private let isTaken = Atomic(false)

  /// - Parameter function: Its name says which budget is meant.
  init(function: String, limiter: RateLimiter, now: @escaping @Sendable () -> WireTime) {
    budget = Budget.writes(of: function)
    self.limiter = limiter
    self.now = now
  }

  /// - Throws: `RateRefusal` when the caller has to wait.
  func take(for caller: Caller, in database: Database) throws {
    guard let budget, limiter.budgets[budget] < Budgets.largest else { return }
    let share = try AccountAge(of: caller.userID, at: now(), in: database).share
    guard !isTaken.exchange(true, ordering: .relaxed) else { return }
    if let delay = limiter.delay(budget, of: caller.userID, share: share, at: now()) {
      throw RateRefusal(delay: delay)
    }
  }
}

extension Budget {
  /// Which writes a minute a function belongs to; nil for one that `RateLimiter.Kind` counts, and
  /// for one that only reads.
  static func writes(of function: String) -> Budget? {
    switch function {
    case CreateMission.name: .missionsPerMinute
    case SayInMission.name: .messagesPerMinute
    case UpdateMission.name, CancelMission.name, CompleteMission.name, JoinMission.name,
      LeaveMission.name, InviteToMission.name, CheckIn.name:
      .missionChangesPerMinute
    case RespondToFriendRequest.name, CancelFriendRequest.name, RemoveFriend.name,
      BlockUser.name, UnblockUser.name, RevokeInvitation.name:
      .friendChangesPerMinute
    case PublishLocations.name, SetLocationSharing.name: .positionsPerMinute
    default: nil
    }
  }
}
