import RallyClient
import RallySystem
import RallyWire

/// Decides which events lead to a notification, and its text.
///
/// Leaves out what the screen shows, what may have happened before the start, muted people and quiet hours.
/// All remaining events become one line.
public struct NotificationPolicy: Hashable, Sendable {
  public var settings: NotificationSettings
  /// The time zone of the quiet hours.
  public let timeZone: LocalTimeZone

  public init(settings: NotificationSettings, timeZone: LocalTimeZone) {
    self.settings = settings
    self.timeZone = timeZone
  }

  /// Whether an event leads to a notification while this screen is shown.
  public func admits(_ event: NotificationEvent, on screen: ScreenStatus, at now: WireTime) -> Bool
  {
    guard event.isNew, settings.level(of: event.kind) != .off, !screen.shows(event) else {
      return false
    }
    if let quiet = settings.quiet, quiet.contain(now.date, in: timeZone) { return false }
    return !settings.muted.contains { $0.value == event.username?.lowercased() }
  }

  /// One notification for all admitted events, at the highest level among them; nil if there are
  /// none.
  ///
  /// - Parameter events: Events that arrived together. The text covers only those of the highest
  ///   level.
  public func announcement(
    of events: [NotificationEvent], on screen: ScreenStatus, at now: WireTime
  ) -> Announcement? {
    let admitted = events.filter { admits($0, on: screen, at: now) }
    guard let level = admitted.map({ settings.level(of: $0.kind) }).max() else { return nil }
    let highest = admitted.filter { settings.level(of: $0.kind) == level }
    return Announcement(level: level, text: Announcement.sentence(about: highest))
  }
}
