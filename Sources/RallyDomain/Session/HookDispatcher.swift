import RallyClient
import RallyWire

/// Hands events to the hooks of the configuration: what a notification could tell, before quiet hours
/// and whatever the screen shows, since a program decides by itself; muted people and what may be long
/// past are left out.
@MainActor
struct HookDispatcher {
  /// Nil where nothing is run: for a guest, in a demo, and while another client acts.
  let runner: HookRunner?
  let profile: String
  let configuration: Configuration

  /// The runner where hooks are run: for the owner of the host's account, outside of the demo, in
  /// the one client that acts for the profile.
  static func runner(
    _ runner: HookRunner?, for capabilities: Capabilities, isDemo: Bool, isActing: Bool
  ) -> HookRunner? {
    capabilities.contains(.hooks) && !isDemo && isActing ? runner : nil
  }

  func receive(_ events: [NotificationEvent]) {
    guard let runner else { return }
    let muted = configuration.notifications.muted
    for event in events where event.isNew {
      if muted.contains(where: { $0.value == event.username?.lowercased() }) { continue }
      runner.run(
        HookEvent(event, profile: profile, at: .now), settings: configuration.hooks)
    }
  }

  func receive(_ policy: PolicySentence) {
    runner?.run(
      HookEvent(policy: policy, profile: profile, at: .now), settings: configuration.hooks)
  }
}
