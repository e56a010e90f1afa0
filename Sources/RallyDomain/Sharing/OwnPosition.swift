import RallyWire

/// My position as the server has it, and the next report.
struct OwnPosition: Hashable, Sendable {
  /// Replaces the real source, which would reveal the device.
  private static let coarseSource = "approximate"

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

  /// What the server has of my position: a move into another cell is there before it is shown.
  ///
  /// - Parameters:
  ///   - shown: What the server shows to the most exact friend.
  ///   - sent: What was sent last, and when.
  static func known(
    shown: OwnPosition?, sent: (position: OwnPosition, at: WireTime)?, at now: WireTime
  ) -> OwnPosition? {
    guard let shown, let sent, let level = shown.precision.gridLevel,
      sent.position.precision == shown.precision, now.since(sent.at) < level.longestDelay
    else { return shown }
    return sent.position
  }

  /// The report that is due, cut to the most exact audience: nothing finer ever leaves this
  /// machine.
  ///
  /// - Parameters:
  ///   - fix: Where I am.
  ///   - audience: What the most exact friend may see.
  ///   - known: What the server has; nil for nothing.
  /// - Returns: nil when nobody may see anything, or what the server has is as good or newer.
  static func report(
    of fix: LocationFix, for audience: SharingMode, known: OwnPosition?
  ) -> LocationReport? {
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
    // The announced cell holds until I have clearly left it.
    let previous = known.flatMap { known in
      known.precision >= audience ? GridCell(containing: known.coordinate, level: level) : nil
    }
    let cell = GridCell.following(previous, at: fix.coordinate, level: level)
    let time = fix.recordedAt.quarterHour
    if let known, cell == previous || time < known.recordedAt.quarterHour { return nil }
    return LocationReport(
      coordinate: cell.center, accuracyMetres: level.accuracyMetres, recordedAt: time,
      source: coarseSource, precision: audience)
  }
}

extension SharingTable {
  /// The next report by this table, cut to what the most exact friend may see.
  ///
  /// - Returns: nil when nobody may see anything, or the server has it already.
  public func report(of fix: LocationFix, at now: WireTime) -> LocationReport? {
    OwnPosition.report(
      of: fix, for: audience(at: now), known: mostExactLocation.flatMap(OwnPosition.init))
  }
}
