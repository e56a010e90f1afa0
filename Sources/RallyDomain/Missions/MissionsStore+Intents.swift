import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

extension MissionsStore {
  // MARK: - Making

  /// Creates a mission of mine.
  ///
  /// - What: The mission is in my list once the server has it.
  /// - How: The same call after a lost response is sent with the same client id, so that it
  ///   creates no second mission.
  /// - Why: Errors belong to the form that is still open.
  /// - Service Calls: `MissionsService.createMission`
  /// - Parameter clientID: Nil for that of the same call before, or a new one.
  /// - Returns: The mission, or why it was not created.
  public func create(
    _ call: CreateMission, clientID: UUID? = nil
  ) async -> Result<Mission, DraftFailure> {
    let clientID = clientID ?? creation.clientID(for: call)
    let service = missionsService
    let result = await make(source: "create") {
      try await service.createMission(call, clientID: clientID)
    }
    if case .success = result { creation.answered() }
    return result
  }

  /// Changes a mission of mine.
  ///
  /// - What: Everybody in it sees the change once the server has it.
  /// - How: What the call leaves out stays as it is.
  /// - Why: Errors belong to the form that is still open.
  /// - Service Calls: `MissionsService.updateMission`
  /// - Returns: The mission, or why it was not changed.
  public func update(
    _ call: UpdateMission, clientID: UUID = UUID()
  ) async -> Result<Mission, DraftFailure> {
    let service = missionsService
    return await make(source: "update") {
      try await service.updateMission(call, clientID: clientID)
    }
  }

  private func make(
    source: String, _ call: @escaping @Sendable () async throws -> Mission
  ) async -> Result<Mission, DraftFailure> {
    let mark = events.count
    let response = await Task { try await call() }.result
    switch response {
    case .success(let mission):
      take(mission, since: mark)
      synchronizer.refreshUnlessEventFollows()
      return .success(mission)
    case .failure(let error):
      // The form shows it, on the field that it is about.
      presentFailure(
        error, title: "The mission was not kept", source: source, isPresented: false)
      return .failure(DraftFailure(AuthError(error)))
    }
  }

  // MARK: - Membership

  /// Joins a mission, or accepts the invitation to it.
  ///
  /// - What: I am in it once the server agreed; only the server can see whether there is room.
  /// - How: The row is marked as in flight until the response, which is the mission.
  /// - Why: A place that somebody else took a moment ago must not be shown as mine.
  /// - Service Calls: `MissionsService.joinMission`
  /// - Returns: The mission as it is now.
  @discardableResult
  public func join(_ missionID: UUID) async -> IntentOutcome<Mission?> {
    await sendIntent(missionID, source: "join", failureTitle: "Not joined") {
      try await $0.joinMission(missionID, clientID: $1)
    }
  }

  /// Leaves a mission, or declines the invitation to it.
  ///
  /// - What: The mission leaves my list at once, and returns if the server refuses.
  /// - How: Its row is hidden while the call is on its way.
  /// - Why: Leaving is undone by joining, so that nothing is lost by showing it early.
  /// - Service Calls: `MissionsService.leaveMission`
  /// - Returns: The mission as it is now.
  @discardableResult
  public func leave(_ missionID: UUID) async -> IntentOutcome<Mission?> {
    await sendIntent(missionID, isLeaving: true, source: "leave", failureTitle: "Not left") {
      try await $0.leaveMission(missionID, clientID: $1)
    }
  }

  /// Ends a mission of mine as done.
  ///
  /// - What: The mission is completed for everybody once the server agreed.
  /// - How: Marked as in flight until the response.
  /// - Why: It cannot be undone, so it is shown as done only when it is.
  /// - Service Calls: `MissionsService.completeMission`
  /// - Returns: The mission as it is now.
  @discardableResult
  public func complete(_ missionID: UUID) async -> IntentOutcome<Mission?> {
    await sendIntent(missionID, source: "complete", failureTitle: "Not completed") {
      try await $0.completeMission(missionID, clientID: $1)
    }
  }

  /// Cancels a mission of mine.
  ///
  /// - What: The mission is cancelled for everybody once the server agreed.
  /// - How: Marked as in flight until the response.
  /// - Why: It cannot be undone, so it is shown as done only when it is.
  /// - Service Calls: `MissionsService.cancelMission`
  /// - Returns: The mission as it is now.
  @discardableResult
  public func cancel(_ missionID: UUID) async -> IntentOutcome<Mission?> {
    await sendIntent(missionID, source: "cancel", failureTitle: "Not cancelled") {
      try await $0.cancelMission(missionID, clientID: $1)
    }
  }

  /// Invites friends of mine to a mission.
  ///
  /// - What: They see the mission from now on, and that they are invited.
  /// - How: Marked as in flight until the response; then the mission is fetched with its new
  ///   members.
  /// - Why: Only the server can see whom I may invite.
  /// - Service Calls: `MissionsService.inviteToMission`
  /// - Returns: Nil as the mission: the response does not contain it.
  @discardableResult
  public func invite(_ userIDs: [UUID], to missionID: UUID) async -> IntentOutcome<Mission?> {
    guard !userIDs.isEmpty else { return .notStarted }
    return await sendIntent(missionID, source: "invite", failureTitle: "Not invited") {
      try await $0.inviteToMission(missionID, userIDs: userIDs, clientID: $1)
      return nil
    }
  }

  /// Joins or leaves several missions, one after the other.
  ///
  /// - What: As if each were joined or left alone, but no failure is presented.
  /// - How: `join` or `leave` for one after the other; a failure does not hold up the rest.
  /// - Why: A person who acts on many wants one report, not one for each.
  /// - Service Calls: `MissionsService.joinMission`, `MissionsService.leaveMission`
  public func setMembership(_ missions: [Mission], byJoining: Bool) async -> BulkOutcome<Mission> {
    await BulkOutcome(missions) { mission in
      byJoining
        ? await self.join(mission.id)
        : await self.leave(mission.id)
    }
  }

  /// Sends one intent about one mission and takes the mission that the server responded with.
  private func sendIntent(
    _ missionID: UUID, isLeaving: Bool = false, source: String, failureTitle: String,
    call: @escaping @Sendable (MissionsService, _ clientID: UUID) async throws -> Mission?
  ) async -> IntentOutcome<Mission?> {
    let mark = events.count
    return await synchronizer.perform(missionID, source: source, failureTitle: failureTitle) {
      guard isLeaving else { return }
      leavingIDs.insert(missionID)
      publish()
    } call: { [missionsService] in
      try await call(missionsService, $0)
    } end: { response in
      leavingIDs.remove(missionID)
      if let mission = response.flatMap(\.self) { merge(mission, since: mark) }
      publish()
    }
  }

  // MARK: - Check-ins

  /// Checks in at my position.
  ///
  /// - What: Shows at once as pending; then the mission as the server responds.
  /// - How: Saved before it is sent, with the present position. Without a network it waits, unless
  ///   it is invalid by local checks, and is sent in order when the lists can be fetched again. If
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
    if checkInMarks[missionID] == nil { checkInMarks[missionID] = events.count }
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
      take(mission, since: checkInMarks.removeValue(forKey: mission.id) ?? events.count)
      return synchronizer.refreshUnlessEventFollows()
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
