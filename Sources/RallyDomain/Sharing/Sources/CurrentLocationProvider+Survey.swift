import Observation
import RallySystem

extension CurrentLocationProvider {
  /// Asks all sources once, for a command that prints what they say.
  ///
  /// - Parameter limit: How long to wait for sources that have no fix yet.
  /// - Returns: The choice as soon as each source has a fix or cannot have one, or after the limit.
  public func survey(within limit: Duration) async -> LocationChoice {
    let wasTracking = isTracking
    startTracking()
    let waiting = Task { await settle() }
    let timeout = Task {
      if (try? await DispatchSleep.for(limit)) != nil { waiting.cancel() }
    }
    await waiting.value
    timeout.cancel()
    defer { if !wasTracking { stopTracking() } }
    return choice
  }

  private func settle() async {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var next = changes.makeAsyncIterator()
    repeat {
      let isSettled = withObservationTracking {
        choice.isSettled
      } onChange: {
        continuation.yield()
      }
      if isSettled { return }
    } while await next.next() != nil
  }
}

extension LocationChoice {
  /// Whether each source has a fresh fix or cannot have one.
  var isSettled: Bool {
    candidates.allSatisfy { candidate in
      guard let state = candidate.state else { return true }
      switch candidate.verdict {
      case .measured, .outranked: return true
      default: return state.isHopeless
      }
    }
  }
}
