import FoundationEssentials
import Logging
import RallySystem
import RallyWire

extension MissionsStore {
  // MARK: - Check-ins

  /// Checks in at my position.
  ///
  /// - What: Shows at once as pending; then the mission as the server responds.
  /// - How: Saved before it is sent, with the present position. Without a network it waits and is
  ///   sent in order when the lists can be fetched again, unless it is invalid by local checks; if
  ///   the mission is over by then it stays as late. In a zone of mine, and outside of my sharing
  ///   hours, it is refused here.
  /// - Why: A check-in must not be lost without a network, and none may be sent silently for a
  ///   mission that is over.
  /// - Service Calls: `MissionsService.checkIn`
  /// - Parameters:
  ///   - objectiveID: One of the mission's.
  ///   - missionID: A mission that is known here.
  public func checkIn(_ objectiveID: UUID, of missionID: UUID) async {
    guard let mission = mission(missionID),
      let objective = mission.objectives.first(where: { $0.id == objectiveID })
    else { return }
    if checkInMarks[missionID] == nil { checkInMarks[missionID] = heard.count }
    await privacyRules.restore()
    let fix = currentLocationProvider.fix
    let refusal = fix.flatMap {
      privacyRules.checkInRefusal(at: $0.coordinate, accuracyMetres: $0.accuracyMetres)
    }
    await checkIns.add(
      QueuedCheckIn(objective, of: mission, at: fix, heldBack: refusal, now: now()))
  }

  /// Retries a check-in: a waiting or late one as it is, a refused one from my present position.
  ///
  /// - What: Sends it now, or refuses it with what holds now.
  /// - How: A check-in whose position was dropped begins anew from where I am.
  /// - Why: What was refused for a reason that has gone must not need another way in.
  /// - Service Calls: `MissionsService.checkIn`
  public func retry(_ checkInID: UUID) async {
    guard let entry = checkIns.entries.first(where: { $0.id == checkInID }) else { return }
    if entry.place == nil {
      await checkIn(entry.shown.objectiveID, of: entry.shown.missionID)
    } else {
      await checkIns.retry(checkInID)
    }
  }

  /// Deletes a check-in that the server does not have, with its position.
  public func drop(_ checkInID: UUID) async { await checkIns.remove(checkInID) }
}

extension MissionsStore: CheckInQueueDelegate {
  func checkInsChanged() {
    let shown = checkIns.entries.map(\.shown)
    if pendingCheckIns != shown { pendingCheckIns = shown }
  }

  func refusal(of entry: QueuedCheckIn) -> String? {
    entry.place.flatMap {
      privacyRules.checkInRefusal(at: $0, accuracyMetres: entry.accuracyMetres)
    }
  }

  func checkInAnswered(_ outcome: CheckInQueue.Outcome) {
    switch outcome {
    case .accepted(let mission):
      take(mission, since: checkInMarks.removeValue(forKey: mission.id) ?? heard.count)
      return synchronizer.refreshUnlessHeard()
    case .refused(let checkIn, let error):
      checkInMarks[checkIn.missionID] = nil
      // The row shows it; here it is only logged.
      log.info("checkIn — \(checkIn.status.label): \(error.logLabel)")
    case .postponed: return synchronizer.retryLater()
    }
    // What a refusal is based on is fetched.
    synchronizer.scheduleRefresh()
  }
}

extension PendingCheckIn.Status {
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
