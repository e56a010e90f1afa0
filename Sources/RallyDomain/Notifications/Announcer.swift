import RallyClient
import RallySystem
import RallyWire

/// Gathers events for a moment, so that many become one line, and announces what the policy admits.
///
/// Leaves out what is visible on the screen when a change arrives or when it is announced.
@MainActor
final class Announcer {
  private let timeZone: LocalTimeZone
  private let gathering: Duration
  private let now: () -> WireTime
  private var gathered: Task<Void, Never>?
  private var waiting: [NotificationEvent] = []

  /// - Parameter gathering: How long the first one waits for others.
  init(
    timeZone: LocalTimeZone = .current, gathering: Duration = .milliseconds(500),
    now: @escaping () -> WireTime = { .now }
  ) {
    self.timeZone = timeZone
    self.gathering = gathering
    self.now = now
  }

  deinit { gathered?.cancel() }

  /// - Parameters:
  ///   - settings: Read again when the announcement is made.
  ///   - screen: Read now and when the announcement is made.
  func receive(
    _ events: [NotificationEvent],
    settings: @escaping @MainActor () -> NotificationSettings,
    screen: @escaping @MainActor () -> ScreenStatus,
    announce: @escaping @MainActor (Announcement) -> Void
  ) {
    let policy = policy(settings())
    let admitted = events.filter { policy.admits($0, on: screen(), at: now()) }
    guard !admitted.isEmpty else { return }
    let isFirst = waiting.isEmpty
    waiting += admitted
    guard isFirst else { return }
    gathered = Task { [weak self, gathering] in
      guard (try? await DispatchSleep.for(gathering)) != nil, let self else { return }
      let events = waiting
      waiting = []
      let policy = self.policy(settings())
      if let announcement = policy.announcement(of: events, on: screen(), at: now()) {
        announce(announcement)
      }
    }
  }

  private func policy(_ settings: NotificationSettings) -> NotificationPolicy {
    NotificationPolicy(settings: settings, timeZone: timeZone)
  }
}
