import RallySystem
import RallyWire

/// What decides which position is sent, and where it is reported what became of it.
@MainActor
protocol PositionPublisherDelegate: AnyObject {
  /// Whether what the server has must be deleted.
  var isWithdrawalDue: Bool { get }
  /// Fetches what the decisions need.
  ///
  /// - Returns: The rules, by their epoch, with which what the server has was looked at; nil if it
  ///   was not.
  func prepareToPublish() async -> Int?
  /// The server has nothing any more.
  func positionWithdrawn()
  /// The report that is due, cut to what may be seen, and of what; nil if none is due.
  ///
  /// - Parameter epoch: What `prepareToPublish` returned.
  func reportToPublish(lookedAt epoch: Int?) async -> (report: LocationReport, fix: LocationFix)?
  /// The server has this report.
  func positionSent(_ report: LocationReport, of fix: LocationFix)
}

/// Sends my position, one report at a time, and keeps which one the server has.
@MainActor
final class PositionPublisher {
  /// My position as the server has it; nil for none.
  private(set) var known: OwnPosition?
  private var sent: (position: OwnPosition, at: WireTime)?
  /// The position whose response has not arrived; its event may come first.
  private var sending: OwnPosition?
  private var isPublishing = false
  private var isWanted = false
  private var waiting: [CheckedContinuation<(any Error)?, Never>] = []
  weak var delegate: (any PositionPublisherDelegate)?
  private let locationsService: LocationsService
  private let now: () -> WireTime

  init(locationsService: LocationsService, now: @escaping () -> WireTime) {
    self.locationsService = locationsService
    self.now = now
  }

  /// Takes what the server shows to the most exact friend.
  func fetched(_ shown: OwnPosition?) {
    known = OwnPosition.known(shown: shown, sent: sent, at: now())
  }

  /// Whether this client sent the position, so that its event brings nothing new.
  func isEcho(_ position: OwnPosition) -> Bool {
    [known, sending].contains { $0?.isSame(as: position) == true }
  }

  /// Sends the report that is due, or first deletes what the server has. A call while another one
  /// runs makes that one look again, and waits for it.
  ///
  /// - Returns: Why the last report was not sent, or `PositionProblem` if it does not count; nil if
  ///   it does, or if none was due.
  func publish() async -> (any Error)? {
    isWanted = true
    guard !isPublishing else { return await withCheckedContinuation { waiting.append($0) } }
    guard let delegate else { return nil }
    var failure: (any Error)?
    isPublishing = true
    defer {
      isPublishing = false
      for other in waiting { other.resume(returning: failure) }
      waiting = []
    }
    while isWanted {
      isWanted = false
      let epoch = await delegate.prepareToPublish()
      if delegate.isWithdrawalDue {
        do {
          try await locationsService.withdrawLocation()
          (known, sent) = (nil, nil)
          failure = nil
        } catch {
          failure = error
          continue
        }
        delegate.positionWithdrawn()
      }
      guard let (report, fix) = await delegate.reportToPublish(lookedAt: epoch) else { continue }
      sending = OwnPosition(report)
      defer { sending = nil }
      do {
        let outcome = try await locationsService.publishLocations([report])
        delegate.positionSent(report, of: fix)
        known = OwnPosition(report)
        sent = known.map { ($0, now()) }
        // Sending it again would change nothing.
        failure = outcome == .outdated ? PositionProblem.outdated : nil
      } catch {
        failure = error
      }
    }
    return failure
  }
}

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

  /// The report that is due, cut to the most exact audience and to what may leave. Nothing finer
  /// ever leaves this machine, and every report of my own position is made here.
  ///
  /// At the edge of a zone nothing is sent that would reveal it: what the server has stays and
  /// ages. The same holds in a zone whose city may be shown, until it is another city or maps do
  /// not show the position any more.
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

  /// Whether the position that the server has is finer than what these rules would let leave now.
  @MainActor
  public func isWithdrawalDue(by rules: PrivacyRulesService) -> Bool {
    rules.isUnwanted(ownPosition)
  }

  /// What the server has of mine.
  private var ownPosition: OwnPosition? { mostExactLocation.flatMap(OwnPosition.init) }
}

/// Decides when a position is sent that may be seen precisely: not while the device stands still,
/// and while it moves at most once per interval.
///
/// Coarse positions need no sampling: they are sent when their cell changes, and at once.
struct PositionSampler {
  /// The interval is measured between attempts by a timer of the same interval, which is never
  /// exact. Without this part of it every second tick would come too early.
  private static let slack = 10

  private var sent: LocationFix?
  private var attemptedAt: WireTime?

  /// Whether a precise position is due.
  ///
  /// - Parameters:
  ///   - known: My position as the server has it; nil if it has none.
  ///   - interval: The map's interval by the runtime policy.
  func isDue(
    _ fix: LocationFix, known: OwnPosition?, interval: Duration, at now: WireTime
  ) -> Bool {
    // What the user says is sent at once.
    if fix.source == LocationFix.manualSource { return true }
    // Friends see nothing yet, or less than they may.
    guard let known, known.precision == .precise else { return true }
    let last =
      sent ?? LocationFix(coordinate: known.coordinate, recordedAt: known.recordedAt)
    guard Movement.isMovement(from: last, to: fix) else { return false }
    return !isTooEarly(interval: interval, at: now)
  }

  /// Whether the last attempt was less than an interval ago.
  func isTooEarly(interval: Duration, at now: WireTime) -> Bool {
    guard let attemptedAt else { return false }
    return attemptedAt.isRecent(within: interval - interval / Self.slack, at: now)
  }

  /// Notes that the position is being sent.
  mutating func attempting(at now: WireTime) { attemptedAt = now }

  /// Notes that the server has the position.
  mutating func sent(_ fix: LocationFix) { sent = fix }
}

/// The last position that this program sent, without the position.
public struct SentReport: Hashable, Sendable {
  public var precision: SharingMode
  /// The source of the fix, which a coarse report does not carry.
  public var source: String
  public var at: WireTime
}

/// Why a position that the server has received is not what friends see.
public enum PositionProblem: ReportableError, Hashable, Sendable {
  /// The server has a newer one, or another device of mine moves.
  case outdated

  public var sentence: String {
    "The server has a newer position of yours, and friends see that one. If you gave this one just"
      + " now, the clock of this device is behind: `rally doctor` says by how much."
  }
}
