/// Hysteresis for the thermal state, so that it does not flicker.
///
/// It rises at once, but to `critical` only after two consecutive critical samples. It falls only
/// if all samples for ten seconds, at least two, are three degrees below the threshold.
struct ThermalHysteresis {
  private(set) var state = ThermalState.nominal
  private var wasCritical = false
  private var fall: Fall?

  private struct Fall {
    var since: ContinuousClock.Instant
    /// The worst state since then.
    var worst: ThermalState
  }

  private static let slack = 3000
  /// Slightly under ten seconds, since timers have leeway.
  private static let fallTime = Duration.milliseconds(9500)

  /// Updates the state with the next sample.
  ///
  /// - Parameter now: When the sample was taken; must not go backwards.
  mutating func judge(
    _ sample: ThermalSample, at now: ContinuousClock.Instant
  ) -> ThermalState {
    let raw = sample.state()
    let eased = sample.state(slack: ThermalHysteresis.slack)
    if raw > state {
      fall = nil
      state = raw == .critical && !wasCritical ? max(state, .serious) : raw
    } else if eased < state {
      let seen = fall.map { Fall(since: $0.since, worst: max($0.worst, eased)) }
      fall = seen ?? Fall(since: now, worst: eased)
      if let seen, now - seen.since >= ThermalHysteresis.fallTime {
        state = seen.worst
        fall = nil
      }
    } else {
      fall = nil
    }
    wasCritical = raw == .critical
    return state
  }
}
