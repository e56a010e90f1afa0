import RallyWire

/// My position as the server has it, and the next report.
struct OwnPosition: Hashable, Sendable {
  var precision: SharingMode
  var coordinate: Coordinate
  var recordedAt: WireTime

  init?(_ record: LocationRecord) {
    guard let coordinate = record.coordinate else { return nil }
    precision = record.precision
    self.coordinate = coordinate
    recordedAt = record.recordedAt
  }

  init?(_ report: LocationReport) {
    guard let coordinate = report.coordinate else { return nil }
    precision = report.precision ?? .precise
    self.coordinate = coordinate
    recordedAt = report.recordedAt
  }

  /// Whether both are the same position. The time of a coarse one is when its cell was entered,
  /// which the server decides, so only the cell counts.
  func isSame(as other: OwnPosition) -> Bool {
    precision == other.precision && coordinate == other.coordinate
      && (precision != .precise || recordedAt == other.recordedAt)
  }

  /// Whether maps no longer show it.
  private func isStale(at now: WireTime) -> Bool {
    WithheldReason(age: now.since(recordedAt), precision: precision) != nil
  }

  /// The circle in which the device is known to be by this.
  var accuracyMetres: Double { precision.gridLevel?.accuracyMetres ?? 0 }

  /// What the server has of my position: a move into another cell is there before it is shown.
  ///
  /// - Parameters:
  ///   - shown: What the server shows to the most exact friend.
  ///   - sent: What was sent last, and when.
  static func known(
    shown: OwnPosition?, sent: (position: OwnPosition, at: WireTime)?, at now: WireTime
  ) -> OwnPosition? {
    guard let shown, let sent, let level = shown.precision.gridLevel,
      sent.position.precision == shown.precision,
      sent.at.isRecent(within: level.longestDelay, at: now)
    else { return shown }
    return sent.position
  }

  /// The report that is due, cut to the most exact audience and to what may leave: nothing finer
  /// ever leaves this machine, and every report is made here.
  ///
  /// At the edge of a zone nothing is sent that would tell of it: what the server has stays and
  /// ages, also in a zone of which the city leaves, until that is another city or maps do not show
  /// it any more.
  ///
  /// - Parameters:
  ///   - fix: Where I am.
  ///   - audience: What the most exact friend may see.
  ///   - limit: What may leave by my zones and hours.
  ///   - known: What the server has; nil for nothing.
  /// - Returns: nil when nobody may see anything, or what the server has is as good or newer.
  static func report(
    of fix: LocationFix, for audience: SharingMode, within limit: PrivacyLimit,
    known: OwnPosition?
  ) -> LocationReport? {
    let audience = min(audience, limit.mode)
    guard audience > .off else { return nil }
    guard let level = audience.gridLevel else {
      if let known {
        // The time of a coarse position is known to the quarter of an hour only.
        let isNewer =
          known.precision == .precise
          ? fix.recordedAt > known.recordedAt
          : fix.recordedAt.quarterHour >= known.recordedAt.quarterHour
        if !isNewer { return nil }
      }
      return LocationReport(
        coordinate: fix.coordinate, accuracyMetres: fix.accuracyMetres, speed: fix.speed,
        course: fix.course, battery: fix.battery, recordedAt: fix.recordedAt, source: fix.source,
        precision: .precise)
    }
    let time = fix.recordedAt.quarterHour
    // The announced cell holds until I have clearly left it, and a finer position as long as maps
    // show it.
    let previous = known.flatMap { known in
      known.precision < audience || known.precision > audience && known.isStale(at: time)
        ? nil : GridCell(containing: known.coordinate, level: level)
    }
    let cell = GridCell.following(previous, at: fix.coordinate, level: level)
    if let known, cell == previous || time < known.recordedAt.quarterHour { return nil }
    return LocationReport(in: cell, at: time)
  }

  /// Why a place that the person has just given is not what friends see: the server has a newer one,
  /// so that no report of this one is due.
  ///
  /// - Parameters: As of `report`.
  /// - Returns: nil when nobody may see anything, or the place is the newest.
  static func problem(
    of fix: LocationFix, for audience: SharingMode, within limit: PrivacyLimit,
    known: OwnPosition?
  ) -> PositionProblem? {
    let audience = min(audience, limit.mode)
    guard audience > .off, let known else { return nil }
    let isOlder =
      audience == .precise && known.precision == .precise
      ? fix.recordedAt < known.recordedAt
      : fix.recordedAt.quarterHour < known.recordedAt.quarterHour
    return isOlder ? .outdated : nil
  }
}

extension SharingTable {
  /// The next report by this table, cut to what the most exact friend may see.
  ///
  /// - Parameter limit: What may leave by my zones and hours.
  /// - Returns: nil when nobody may see anything, or the server has it already.
  public func report(
    of fix: LocationFix, within limit: PrivacyLimit, at now: WireTime
  ) -> LocationReport? {
    OwnPosition.report(
      of: fix, for: audience(at: now), within: limit,
      known: ownPosition)
  }

  /// Why a place that the person has just given is not what friends see; nil where they will.
  public func problem(
    of fix: LocationFix, within limit: PrivacyLimit, at now: WireTime
  ) -> PositionProblem? {
    OwnPosition.problem(
      of: fix, for: audience(at: now), within: limit,
      known: ownPosition)
  }

  /// Whether the position that the server has tells more than these rules would let leave now.
  @MainActor
  public func isWithdrawalDue(by rules: PrivacyRulesService) -> Bool {
    rules.isUnwanted(ownPosition)
  }

  /// What the server has of mine.
  private var ownPosition: OwnPosition? { mostExactLocation.flatMap(OwnPosition.init) }
}
