import FoundationEssentials
import RallyClient
import RallyWire

extension MissionsStore {
  // MARK: - Membership

  /// Joins a mission, or accepts the invitation to it.
  ///
  /// - What: I am in it once the server agreed; only the server knows whether there is room.
  /// - How: The row is marked as in flight until the response, which is the mission.
  /// - Why: A place that somebody else took a moment ago must not be shown as mine.
  /// - Service Calls: `MissionsService.joinMission`
  /// - Returns: The mission as it is now.
  @discardableResult
  public func join(_ missionID: UUID) async -> IntentOutcome<Mission?> {
    let service = missionsService
    return await sendIntent(missionID, source: "join", failureTitle: "Not joined") {
      try await service.joinMission(missionID, clientID: $0)
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
    let service = missionsService
    return await sendIntent(missionID, isLeaving: true, source: "leave", failureTitle: "Not left") {
      try await service.leaveMission(missionID, clientID: $0)
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
    let service = missionsService
    return await sendIntent(missionID, source: "complete", failureTitle: "Not completed") {
      try await service.completeMission(missionID, clientID: $0)
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
    let service = missionsService
    return await sendIntent(missionID, source: "cancel", failureTitle: "Not cancelled") {
      try await service.cancelMission(missionID, clientID: $0)
    }
  }

  /// Invites friends of mine to a mission.
  ///
  /// - What: They see the mission from now on, and that they are invited.
  /// - How: Marked as in flight until the response; then the mission is fetched with its new
  ///   members.
  /// - Why: Only the server knows whom I may invite.
  /// - Service Calls: `MissionsService.inviteToMission`
  /// - Returns: Nil as the mission: the response does not contain it.
  @discardableResult
  public func invite(_ userIDs: [UUID], to missionID: UUID) async -> IntentOutcome<Mission?> {
    guard !userIDs.isEmpty else { return .notStarted }
    let service = missionsService
    return await sendIntent(missionID, source: "invite", failureTitle: "Not invited") {
      try await service.inviteToMission(missionID, userIDs: userIDs, clientID: $0)
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
    call: @escaping @Sendable (_ clientID: UUID) async throws -> Mission?
  ) async -> IntentOutcome<Mission?> {
    let mark = heard.count
    return await synchronizer.perform(missionID, source: source, failureTitle: failureTitle) {
      guard isLeaving else { return }
      leavingIDs.insert(missionID)
      publish()
    } call: {
      try await call($0)
    } end: { response in
      leavingIDs.remove(missionID)
      if let mission = response.flatMap(\.self) { merge(mission, since: mark) }
      publish()
    }
  }
}
