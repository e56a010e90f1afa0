import Logging
import RallyClient
import RallySystem
import RallyWire

// MARK: - Ghost

extension LocationSharingStore {
  /// Starts or ends ghost mode, whichever applies.
  ///
  /// - What: Hides me, or gives everything back.
  /// - How: A ghost that is still seen, since something is shared again, hides once more.
  /// - Why: One key does both, so that nobody has to remember which.
  /// - Service Calls: those of `goGhost` and `endGhost`
  /// - Returns: As `goGhost` and `endGhost`.
  @discardableResult
  public func toggleGhost() async -> IntentOutcome<GhostPhase?> {
    let isSeen = (summary?.sharedCount ?? 1) > 0
    return ghostPhase == nil || (ghostPhase == .gone && isSeen)
      ? await goGhost() : await endGhost()
  }

  /// Hides me from everybody: all sharing ends, and the server deletes my position.
  ///
  /// - What: Makes me a ghost on the server; what is shared with whom stays as it is.
  /// - How: Writes the request to a file first, sends no position from this moment, and calls the
  ///   server, also where the file cannot be written. While the server cannot be reached the phase
  ///   stays `.pending`, visibly. It is tried again at every pace, at every refresh and by the next
  ///   run.
  /// - Why: Sharing must never continue silently, least of all offline.
  /// - Service Calls: `GhostService.begin`, `GhostService.complete`
  /// - Returns: The phase: `.gone` once nobody sees anything, nil if `endGhost` ended it meanwhile.
  @discardableResult
  public func goGhost() async -> IntentOutcome<GhostPhase?> {
    log.info("ghost — wanted")
    ghostPhase = .pending
    isAllTurnedOff = false
    lastSharingChange = nil
    publishSharing()
    var problem: (any Error)?
    do {
      try await ghostService.begin()
    } catch {
      problem = error
      log.error("ghost — not written down: \(error.logLabel)")
    }
    return await completeGhost(isShown: true, unwritten: problem)
  }

  @discardableResult
  func completeGhost(
    isShown: Bool, unwritten problem: (any Error)? = nil
  ) async -> IntentOutcome<GhostPhase?> {
    await afterGhostTask { store in
      guard store.ghostPhase == .pending else { return .done(store.ghostPhase) }
      do {
        let rows = try await store.ghostService.complete()
        store.synchronizer.invalidateFetches()
        // Nil on a server without ghosts, where nothing is shared any more.
        if store.ghostPhase == .pending {
          (store.ghostPhase, store.isAllTurnedOff) = (rows.isGhost ? .gone : nil, !rows.isGhost)
        }
        store.synchronizer.commit { store.takeSharing(rows) }
        return .done(store.ghostPhase)
      } catch {
        return .refused(
          store.presentFailure(
            error, title: "Not a ghost yet",
            description: [
              error.sentence, "Friends may still see you; it is sent again by itself.",
              problem.map { "It is not kept for the next start: \($0.sentence)" },
            ].compactMap(\.self).joined(separator: " "),
            source: "goGhost", isPresented: isShown))
      }
    }
  }

  /// Comes back: what is shared counts again, as far as its time has not run out.
  ///
  /// - What: The inverse of `goGhost`, pending or not.
  /// - How: Asks the server; on failure I am still a ghost. Whoever was not one yet needs no server.
  /// - Why: The same key that hides gives everything back.
  /// - Service Calls: `GhostService.end`, `LocationsService.fetchLocationSharing`,
  ///   `LocationsService.publishLocations`
  /// - Returns: The phase: nil once ghost mode has ended.
  @discardableResult
  public func endGhost() async -> IntentOutcome<GhostPhase?> {
    log.info("ghost — end wanted")
    let outcome = await afterGhostTask { store in
      do {
        try await store.ghostService.end()
        // Before anybody says what is shared now: a fetch after an event may overtake `reconcile`.
        store.ghostPhase = nil
        await store.refetchAfterGhost()
        return .done(store.ghostPhase)
      } catch {
        return .refused(
          store.presentFailure(error, title: "Still a ghost", source: "endGhost"))
      }
    }
    await reconcile()
    return outcome
  }

  /// Runs one step of ghost mode at a time, in the order of the keys; it outlives the screen.
  private func afterGhostTask(
    _ step: @escaping @MainActor (LocationSharingStore) async -> IntentOutcome<GhostPhase?>
  ) async -> IntentOutcome<GhostPhase?> {
    await ghostTurns.run { [self] in
      isGhostInFlight = true
      defer { isGhostInFlight = false }
      return await step(self)
    }
  }

  /// Fetches what is shared after a ghost ended. Until that is known nothing is claimed of it.
  func refetchAfterGhost() async {
    do {
      let rows = try await locationsService.fetchLocationSharing()
      synchronizer.invalidateFetches()
      let phase = await ghostService.phase(by: rows)
      if ghostPhase != .pending { ghostPhase = phase }
      synchronizer.commit { takeSharing(rows) }
    } catch {
      log.info("refetchAfterGhost — failed: \(error.logLabel)")
      isUnconfirmed = true
      if serverSharing?.isGhost == true {
        forgetSharing()
        ghostPhase = nil
      }
      updatePace()
    }
  }
}
