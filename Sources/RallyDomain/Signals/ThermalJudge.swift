/// Decides from one look to the next how hot the device is, without flickering.
///
/// It rises at once, but to critical only when two looks in a row say so; it falls only after two
/// looks, ten seconds apart, were three degrees under the threshold.
struct ThermalJudge {
  private(set) var state = ThermalState.nominal
  private var wasCritical = false
  private var fall: Fall?

  private struct Fall {
    var since: ContinuousClock.Instant
    /// The worst that was seen since then.
    var worst: ThermalState
  }

  private static let slack = 3000
  /// A little under ten seconds, since timers have leeway.
  private static let fallTime = Duration.milliseconds(9500)

  /// Takes the next look into account.
  ///
  /// - Parameter now: When the sample was taken; must not go backwards.
  mutating func judge(
    _ sample: ThermalSample, at now: ContinuousClock.Instant
  ) -> ThermalState {
    let raw = sample.state()
    let eased = sample.state(slack: ThermalJudge.slack)
    if raw > state {
      fall = nil
      state = raw == .critical && !wasCritical ? max(state, .serious) : raw
    } else if eased < state {
      let seen = fall.map { Fall(since: $0.since, worst: max($0.worst, eased)) }
      fall = seen ?? Fall(since: now, worst: eased)
      if let seen, now - seen.since >= ThermalJudge.fallTime {
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
