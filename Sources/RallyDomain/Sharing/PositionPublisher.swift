import RallyWire

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
  /// - Parameters:
  ///   - prepare: Fetches what the decisions need.
  ///   - isUnwanted: Whether what the server has must be deleted.
  ///   - withdrawn: Called when the server has nothing any more.
  ///   - due: Returns the report, cut to what may be seen; nil if none is due.
  ///   - sent: Called with the report when the server has it.
  /// - Returns: Why the last report was not sent, or `PositionProblem` if it does not count; nil if
  ///   it does, or if none was due.
  func publish(
    prepare: @MainActor () async -> Void, isUnwanted: @MainActor () -> Bool,
    withdrawn: @MainActor () -> Void,
    due: @MainActor () async -> LocationReport?, sent: (LocationReport) -> Void
  ) async -> (any Error)? {
    isWanted = true
    guard !isPublishing else { return await withCheckedContinuation { waiting.append($0) } }
    var failure: (any Error)?
    isPublishing = true
    defer {
      isPublishing = false
      for other in waiting { other.resume(returning: failure) }
      waiting = []
    }
    while isWanted {
      isWanted = false
      await prepare()
      if isUnwanted() {
        do {
          try await locationsService.withdrawLocation()
          (known, self.sent) = (nil, nil)
          failure = nil
        } catch {
          failure = error
          continue
        }
        withdrawn()
      }
      guard let report = await due() else { continue }
      sending = OwnPosition(report)
      defer { sending = nil }
      do {
        let outcome = try await locationsService.publishLocations([report])
        sent(report)
        known = OwnPosition(report)
        self.sent = known.map { ($0, now()) }
        // Sending it again would change nothing.
        failure = outcome == .outdated ? PositionProblem.outdated : nil
      } catch {
        failure = error
      }
    }
    return failure
  }
}
