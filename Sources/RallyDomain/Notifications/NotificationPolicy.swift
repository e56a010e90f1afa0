import Foundation
import RallyWire

/// Decides what is announced outside of Rally's screen, and in which words.
///
/// Nothing that the screen shows itself, nothing from before the start, nothing of muted people,
/// nothing in quiet hours; and of what remains one line, however much it is.
public struct NotificationPolicy: Hashable, Sendable {
  public var settings: NotificationSettings
  /// What may have happened before is old.
  public let start: WireTime
  /// Where the quiet hours are meant.
  public let timeZone: TimeZone

  public init(settings: NotificationSettings, start: WireTime, timeZone: TimeZone) {
    self.settings = settings
    self.start = start
    self.timeZone = timeZone
  }

  /// Whether this is worth a word to somebody who looks at that screen.
  public func admits(_ news: News, on screen: ScreenStanding, at now: WireTime) -> Bool {
    guard news.after >= start, settings.level(of: news.kind) != .off, !screen.shows(news) else {
      return false
    }
    if let quiet = settings.quiet, quiet.contain(now.date, in: timeZone) { return false }
    return !settings.muted.contains { $0.value == news.username?.lowercased() }
  }

  /// One line about everything that is worth it, as loud as the loudest; nil where nothing is.
  ///
  /// - Parameter news: What came together; what only rings is not talked of.
  public func announcement(
    of news: [News], on screen: ScreenStanding, at now: WireTime
  ) -> Announcement? {
    let admitted = news.filter { admits($0, on: screen, at: now) }
    guard let level = admitted.map({ settings.level(of: $0.kind) }).max() else { return nil }
    let told = admitted.filter { settings.level(of: $0.kind) == level }
    return Announcement(level: level, text: Announcement.sentence(about: told))
  }
}
