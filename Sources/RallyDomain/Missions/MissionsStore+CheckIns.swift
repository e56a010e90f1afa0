import Foundation
import RallyWire

extension MissionsStore {
  // MARK: - Check-ins

  /// Checks in where I am.
  ///
  /// - What: Shows at once as pending until the server has it; then the mission as it stands.
  /// - How: Written down before it is sent, with the place of this moment. Without a network it
  ///   waits and goes out in order when the lists can be fetched again, unless it could not count
  ///   by this machine's own arithmetic; if the mission is over by then it stays as late.
  /// - Why: At a place without a network a check-in must not be lost, and none may go out silently
  ///   for a mission that is over.
  /// - Service Calls: `MissionsService.checkIn`
  /// - Parameters:
  ///   - objectiveID: One of the mission's.
  ///   - missionID: A mission that is known here.
  public func checkIn(_ objectiveID: UUID, of missionID: UUID) async {
    guard let mission = mission(missionID),
      let objective = mission.objectives.first(where: { $0.id == objectiveID })
    else { return }
    await checkIns.add(
      QueuedCheckIn(objective, of: mission, at: currentLocationProvider.fix, now: now()))
  }

  /// Tries a check-in again: one that waits or came late as it is, a refused one from where I am
  /// now.
  public func retry(_ checkInID: UUID) async {
    guard let entry = checkIns.entries.first(where: { $0.id == checkInID }) else { return }
    if entry.place == nil {
      await checkIn(entry.shown.objectiveID, of: entry.shown.missionID)
    } else {
      await checkIns.retry(checkInID)
    }
  }

  /// Forgets a check-in that the server does not have, with the position that it holds.
  public func drop(_ checkInID: UUID) async { await checkIns.remove(checkInID) }

  func followCheckIns() {
    checkIns.changed = { [weak self] in
      guard let self else { return }
      let shown = checkIns.entries.map(\.shown)
      if pendingCheckIns != shown { pendingCheckIns = shown }
    }
    checkIns.missionForID = { [weak self] in self?.mission($0) }
    checkIns.answered = { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .accepted(let mission): take(mission)
      case .refused(let checkIn, let error):
        // The row says it as long as it stands; here it is only noted.
        log.info("checkIn — \(checkIn.standing.label): \(error.logLabel)")
      }
      // The answer tells of one mission; its line, and what a refusal knew better, are fetched.
      synchronizer.scheduleRefresh()
    }
  }
}

extension PendingCheckIn.Standing {
  /// A word for the log, without what the server wrote.
  fileprivate var label: String {
    switch self {
    case .sending: "sending"
    case .queued: "queued"
    case .late: "late"
    case .refused: "refused"
    }
  }
}
