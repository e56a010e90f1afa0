import FoundationEssentials
import RallyText
import RallyWire

// MARK: - My Position

extension LocationSharingStore {
  /// Sets my position, by a city's name or by `latitude,longitude`.
  ///
  /// - What: Sets the manual position and sends it to those who may see it.
  /// - How: Looks the name up in the map's data, keeps the position in a private file, and
  ///   publishes at once instead of at the next pace.
  /// - Why: A terminal has no GPS receiver, but its user knows where they are.
  /// - Service Calls: `CurrentLocationProvider.setManual`, `LocationsService.publishLocations`
  /// - Parameter text: As typed, such as `Lisbon` or `Lisbon for 2h`.
  /// - Returns: The position, `.invalid` with what to type instead, or `.refused` if it could not
  ///   be kept or sent.
  @discardableResult
  public func setHere(_ text: String) async -> IntentOutcome<LocationFix> {
    let place: Place
    let request: HereRequest
    do {
      request = try HereRequest(text)
      place = try await placeFinder.resolveAnywhere(request.place, completes: false)
    } catch { return .invalid(error) }
    return await setHere(place, as: request)
  }

  /// The places that a text may mean which is only the beginning of their names.
  ///
  /// - What: Returns the places among which somebody chooses.
  /// - How: Looks in the map's data, and nowhere for a whole name.
  /// - Why: `:here Lis` must not set Lisbon for somebody who meant Lisse.
  /// - Service Calls: None
  /// - Returns: nil where `setHere` takes the text as it is, or says what to type instead.
  public func hereChoice(_ text: String) async -> HereChoice? {
    guard let request = try? HereRequest(text), !request.place.trimmed.isEmpty else { return nil }
    let whole = try? await placeFinder.resolveAnywhere(request.place, completes: false)
    let places = whole == nil ? placeFinder.find(request.place.trimmed) : []
    return places.isEmpty
      ? nil : HereChoice(request: request, places: Array(places.prefix(HereChoice.limit)))
  }

  /// Sets my position to a place that was chosen, for as long as the request says.
  ///
  /// - What: As `setHere(_:)`, for a place that is known.
  /// - How: Keeps the position in a private file, and publishes at once.
  /// - Why: A place that was chosen from a list needs no second look-up.
  /// - Service Calls: `CurrentLocationProvider.setManual`, `LocationsService.publishLocations`
  /// - Returns: As the other `setHere`; never `.invalid`.
  @discardableResult
  public func setHere(_ place: Place, as request: HereRequest) async -> IntentOutcome<LocationFix> {
    await setHere(place, until: request.duration.map(now().advanced))
  }

  /// Ends the pin, so that what is measured counts.
  ///
  /// - What: The inverse of `setHere`; without a measurement the place stays as the last known one.
  /// - How: Keeps the end in the private file, and publishes what is measured if it is due.
  /// - Why: A pin for two days must be possible to end after one.
  /// - Service Calls: `CurrentLocationProvider.endManual`, `LocationsService.publishLocations`
  /// - Returns: The position that counts now; nil if none is known.
  public func endHere() async -> IntentOutcome<LocationFix?> {
    do {
      try await currentLocationProvider.endManual()
    } catch {
      return .refused(
        presentFailure(
          error, title: "That your place ended is not kept for the next start", source: "endHere"))
    }
    await publishIfChanged(isShown: true)
    return .done(currentLocationProvider.fix)
  }

  private func setHere(_ place: Place, until: WireTime?) async -> IntentOutcome<LocationFix> {
    let writing = Task { [currentLocationProvider, now] in
      try await currentLocationProvider.setManual(
        place.coordinate, accuracyMetres: place.radiusMetres, placeName: place.ownName,
        until: until,
        at: now())
    }
    let written = await writing.result
    let sendFailure = await publishIfChanged(isShown: true)
    switch written {
    case .success(let fix):
      if let sendFailure { return .refused(sendFailure) }
      guard let problem = problem(of: fix) else { return .done(fix) }
      return .refused(
        presentFailure(problem, title: "Your position was not sent", source: "setHere"))
    case .failure(let error):
      return .refused(
        presentFailure(
          error, title: "Your place is not kept for the next start", source: "setHere"))
    }
  }

  /// Sends my position if somebody may see it and the server does not have it yet.
  ///
  /// - What: One report, cut to what the most exact friend may see.
  /// - How: Coarse positions are middles of cells, with hysteresis, and are sent only when the cell
  ///   changes. Precise ones when the device has moved, at most once per interval. In ghost mode,
  ///   pending or not, nothing is sent; nor before the sharing was fetched in the last minute. My
  ///   zones and hours hold back more. When a zone was made around the position that the server
  ///   has, that is deleted first.
  /// - Why: What never leaves this machine cannot leak.
  /// - Service Calls: `LocationsService.publishLocations`, `LocationsService.withdrawLocation`,
  ///   `LocationsService.fetchLocationSharing`
  /// - Parameter isShown: A failure is shown; it is tried again at the next pace in any case.
  /// - Returns: Why a position was not sent; nil if it was, or if none was due.
  @discardableResult
  public func publishIfChanged(isShown: Bool = false) async -> CommunityViewError? {
    let failure = await positionPublisher.publish()
    hasFailed = failure != nil && !(failure is PositionProblem)
    updatePace()
    return failure.map {
      presentFailure(
        $0, title: "Your position was not sent", source: "publishIfChanged", isPresented: isShown)
    }
  }

  /// Older sharing is fetched again before a position is sent by it.
  private static let sharingLifetime = Duration.seconds(60)

  private var dueReport: LocationReport? { dueReport(every: samplingInterval) }

  /// Whether a position waits for the end of the interval.
  var isReportPending: Bool { dueReport(every: .zero) != nil }

  private func dueReport(every interval: Duration) -> LocationReport? {
    guard ghostPhase == nil, synchronizer.hasFetched, let fix = currentLocationProvider.fix,
      let agreed = serverSharing,
      let shown = sharing
    else { return nil }
    let time = now()
    let known = positionPublisher.known
    let report = OwnPosition.report(
      of: fix, for: min(agreed.audience(at: time), shown.audience(at: time)),
      within: privacyRules.limit(of: currentLocationProvider), known: known)
    guard report?.precision == .precise else { return report }
    return sampler.isDue(fix, known: known, interval: interval, at: time) ? report : nil
  }

  /// Nil also for a place that the person has replaced meanwhile.
  private func problem(of fix: LocationFix) -> PositionProblem? {
    guard ghostPhase == nil, synchronizer.hasFetched, let serverSharing,
      currentLocationProvider.fix?.recordedAt == fix.recordedAt
    else { return nil }
    return OwnPosition.problem(
      of: fix, for: serverSharing.audience(at: now()),
      within: privacyRules.limit(of: currentLocationProvider), known: positionPublisher.known)
  }

  /// Whether what the server has, or was sent and is not announced yet, must be deleted there.
  var isWithdrawalDue: Bool {
    synchronizer.hasFetched
      && [positionPublisher.known, serverSharing?.mostExactLocation.flatMap(OwnPosition.init)]
        .contains(where: privacyRules.isUnwanted)
  }

  private var samplingInterval: Duration { syncInterval ?? .seconds(15) }

  /// Sends my position after it was measured anew, if it is due.
  ///
  /// - What: A new cell goes out at once, a precise movement once per interval.
  /// - How: Does nothing, without a request, while nothing is due. After a failure it waits for
  ///   the interval.
  /// - Why: Friends see a move when it happens, and a device that stands still costs nothing.
  /// - Service Calls: those of `publishIfChanged`
  /// - Returns: Why a position was not sent; nil if it was, or if none was due.
  @discardableResult
  public func currentLocationChanged() async -> CommunityViewError? {
    guard currentLocationProvider.source != LocationFix.manualSource, dueReport != nil,
      !hasFailed || !sampler.isTooEarly(interval: samplingInterval, at: now())
    else {
      // What is too early goes out at the pace.
      updatePace()
      return nil
    }
    return await publishIfChanged()
  }

  // MARK: - On My Way

  /// Shows my precise position to members of a mission until I am there, or no longer.
  ///
  /// - What: Begins or ends it on the server, and sends my position if it may be more exact now.
  /// - How: Nothing shows before the server agreed; then what is shared is fetched.
  /// - Why: Who sees me is never claimed before it is so.
  /// - Service Calls: `LocationsService.beginOnMyWay`, `LocationsService.endOnMyWay`, those of
  ///   `refreshAll`
  /// - Parameter readers: The members whom I was shown; nil ends it.
  @discardableResult
  public func setOnMyWay(to missionID: UUID, readers: [UUID]?) async -> IntentOutcome<Void> {
    let service = locationsService
    let response = await Task {
      if let readers {
        try await service.beginOnMyWay(to: missionID, readers: readers)
      } else {
        try await service.endOnMyWay(to: missionID)
      }
    }.result
    synchronizer.invalidateFetches()
    let outcome = synchronizer.conclude(
      response, source: "setOnMyWay",
      failureTitle: readers == nil ? "You are still on your way" : "Nobody sees you on your way")
    if outcome.isDone { await reconcile() }
    return outcome
  }
}

extension LocationSharingStore: PositionPublisherDelegate {
  func prepareToPublish() async -> Int? {
    let isOld = asOf.map { !$0.isRecent(within: Self.sharingLifetime, at: now()) } ?? false
    let mustLook = privacyRules.kept.needsWithdrawal
    guard mustLook || (isOld && ghostPhase == nil) else { return nil }
    let epoch = privacyRules.epoch
    let isFetched = await synchronizer.reconcile(source: "publishIfChanged")
    return isFetched && mustLook ? epoch : nil
  }

  func positionWithdrawn() {
    synchronizer.invalidateFetches()
    synchronizer.scheduleRefresh()
  }

  func reportToPublish(lookedAt epoch: Int?) async -> (report: LocationReport, fix: LocationFix)? {
    if let epoch { await privacyRules.withdrawalDone(at: epoch) }
    guard let fix = currentLocationProvider.fix, let report = dueReport else { return nil }
    sampler.attempting(at: now())
    return (report, fix)
  }

  func positionSent(_ report: LocationReport, of fix: LocationFix) {
    synchronizer.invalidateFetches()
    sampler.sent(fix)
    lastReport = SentReport(
      precision: report.precision ?? .precise, source: fix.source, at: now())
  }
}
