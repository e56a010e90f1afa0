import RallyWire

// MARK: - Other Clients of Mine

extension LocationSharingStore {
  /// Follows what my other clients decide about sharing, until `stopSharingRealtimeListener`.
  ///
  /// - What: Fetches sharing again after each change, and takes up a newer position of mine.
  /// - How: Events are hints; the fetches are debounced. Between a lost connection and the first
  ///   fetch after its return what is shown is doubtful, and says so.
  /// - Why: "ghost" must not stand on a screen while another terminal shares.
  /// - Service Calls: `SharingRealtimeService.listen`, `LocationsService.fetchLocationSharing`
  public func startSharingRealtimeListener() {
    synchronizer.startListening(sharingRealtimeService.listen) { $0.receive($1) }
  }

  /// Leaves the channel; what is shown stays.
  ///
  /// - What: Ends what `startSharingRealtimeListener` began.
  /// - How: Leaves the channel in the background; the pace takes over.
  /// - Why: The policy left realtime.
  /// - Service Calls: `SharingRealtimeService.leave`
  public func stopSharingRealtimeListener() {
    synchronizer.stopListening(sharingRealtimeService.leave)
  }

  func realtimeChanged(_ state: RealtimeState) {
    isInterrupted = state == .interrupted
    if isInterrupted { isUnconfirmed = true }
    updatePace()
  }

  func receive(_ notice: SharingNotice) {
    switch notice {
    case .position(let record):
      if let position = OwnPosition(record), positionPublisher.isEcho(position) { return }
      // A coarse one is the middle of a cell, and not where anybody is.
      if record.precision == .precise, let fix = LocationFix(record) {
        currentLocationProvider.receive(fix)
      }
      synchronizer.scheduleRefresh()
    case .settings:
      privacyRules.accountChanged()
      synchronizer.scheduleRefresh()
    }
  }

  /// Follows files of other processes of this profile, until the task that runs this is cancelled.
  /// In these they note that I want to be a ghost, my zones and where I am.
  ///
  /// - What: Takes over a ghost that is pending and the position, then fetches sharing again.
  /// - How: The kernel says when a file changed. A ghost that this program is sending, or that is
  ///   pending here, is not taken back by a file.
  /// - Why: Two terminals side by side agree offline too.
  /// - Service Calls: `GhostService.changes`, `GhostService.isPending`,
  ///   `CurrentLocationProvider.restore`, `LocationsService.fetchLocationSharing`
  public func followFiles() async {
    for await _ in ghostService.changes() {
      await currentLocationProvider.restore()
      await privacyRules.reload()
      guard await ghostService.isPending(), !isGhostInFlight, ghostPhase != .pending else {
        continue
      }
      ghostPhase = .pending
      publishSharing()
      synchronizer.scheduleRefresh()
    }
  }
}

extension LocationFix {
  /// - Returns: nil where the row's numbers name no place.
  fileprivate init?(_ record: LocationRecord) {
    guard let coordinate = record.coordinate else { return nil }
    self.init(
      coordinate: coordinate, accuracyMetres: record.accuracyMetres, speed: record.speed,
      course: record.course, battery: record.battery, recordedAt: record.recordedAt,
      source: record.source)
  }
}
