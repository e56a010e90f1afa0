import RallyWire

/// What decides which position is sent, and who hears what became of it.
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

/// Sends my position, one report at a time, and knows which one the server has.
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

  /// Whether this client sent the position, so that its event tells nothing new.
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
