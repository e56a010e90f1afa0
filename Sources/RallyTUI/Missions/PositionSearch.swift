import RallyDomain

/// Finds out where I am before something that needs it: nothing measures before a position is shown
/// to somebody or a map is open.
@MainActor
struct PositionSearch {
  let provider: CurrentLocationProvider
  let interface: Interface

  /// How long sources may take.
  private static var limit: Duration { .seconds(10) }

  /// Asks the sources where no position is known. The person is told that, and what to do if none
  /// of them knows.
  func hasPosition() async -> Bool {
    if provider.coordinate != nil { return true }
    interface.say("Looking where you are…")
    if await provider.survey(within: Self.limit).fix != nil { return true }
    interface.say(ActionAvailability.noPosition)
    return false
  }
}
