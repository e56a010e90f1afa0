import FoundationEssentials
import RallyClient
import RallySystem
import RallyText
import RallyWire

/// An action of others that the user may want to be notified of.
public struct NotificationEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// Somebody sent me a friend request.
    case request
    /// Somebody accepted my friend request.
    case friendship
    /// A friend asks where I am.
    case question
    /// A friend shows me where they are, or more of it than before.
    case sharing
    /// A friend is at the place of an alert, or left it.
    case alert
    /// Somebody who showed me the way to a mission has arrived there.
    case arrival
    /// Somebody invited me to a mission.
    case invitation
    /// Somebody wrote a message in a mission of mine.
    case message
    /// A mission of mine is completed.
    case completion
  }

  public var kind: Kind
  /// The username of who did it, without `@`; nil if unknown.
  public var username: String?
  /// The mission it is about; nil for people.
  public var missionID: UUID?
  /// The mission's title; empty for people.
  public var title: String
  /// The text of a message, what somebody shows me such as `their city`, what an alert says such as
  /// `is within 500 m of you`. Empty for other kinds.
  public var text: String
  /// Whether it happened while this program ran; what a first fetch shows beside the lists of an
  /// earlier run may be long past.
  public var isNew: Bool

  public init(
    _ kind: Kind, username: String? = nil, missionID: UUID? = nil, title: String = "",
    text: String = "", isNew: Bool = true
  ) {
    self.kind = kind
    self.username = username
    self.missionID = missionID
    self.title = title
    self.text = text
    self.isNew = isNew
  }
}

/// What the screen shows now.
public struct ScreenStatus: Hashable, Sendable {
  public var tab: RallyTab
  /// The detail that is open in the tab.
  public var route: Route?
  /// Whether the terminal window has the focus; true if the terminal does not report it.
  public var hasFocus: Bool

  public init(tab: RallyTab, route: Route? = nil, hasFocus: Bool = true) {
    self.tab = tab
    self.route = route
    self.hasFocus = hasFocus
  }

  /// Whether the screen already shows the event, so that no notification is needed.
  public func shows(_ event: NotificationEvent) -> Bool {
    guard hasFocus else { return false }
    switch event.kind {
    case .request, .friendship, .question: return tab == .friends
    case .sharing: return tab == .friends || tab == .map
    case .alert: return tab == .map
    case .invitation, .completion: return tab == .missions
    case .message, .arrival:
      guard tab == .missions, let missionID = event.missionID else { return false }
      return route == .mission(missionID)
    }
  }
}

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

/// How notifications are delivered.
public enum NotificationWay: String, Hashable, Sendable, CaseIterable {
  /// The desktop if its bus is reachable, otherwise the sequence that the terminal is known to
  /// support, otherwise its bell.
  case auto
  case bell
  /// From iTerm2: one text.
  case osc9
  /// From rxvt: `notify` with a title and a text.
  case osc777
  /// From kitty: a title and a text; the newest replaces the one before.
  case osc99
  /// The desktop's notification service, over the D-Bus session bus.
  case dbus
  case none
}

/// `[notifications]` of `config.toml`.
public struct NotificationSettings: Hashable, Sendable {
  public var way = NotificationWay.auto
  /// For friend requests, acceptances of mine, questions where I am, what friends begin to show, and alerts.
  public var requests = Announcement.Level.message
  /// For messages in missions.
  public var messages = Announcement.Level.message
  /// For invitations to missions, for who arrives at one, and for their completion.
  public var missions = Announcement.Level.message
  public var quiet: QuietHours?
  /// People without notifications, in file order.
  public var muted: [Username] = []

  public init() {}

  public func level(of kind: NotificationEvent.Kind) -> Announcement.Level {
    switch kind {
    case .request, .friendship, .question, .sharing, .alert: requests
    case .message: messages
    case .invitation, .arrival, .completion: missions
    }
  }
}

/// The hours of a day without notifications; they span midnight if the end is before the start.
public struct QuietHours: Hashable, Sendable, CustomStringConvertible {
  /// Minutes after midnight, 0 to 1439; inclusive.
  public let start: Int
  /// Minutes after midnight, 0 to 1439; exclusive.
  public let end: Int

  /// - Parameter text: Two different 24-hour times: `22:00-07:00`.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
    guard times.count == 2, let start = times[0], let end = times[1], start != end else {
      return nil
    }
    self.start = start
    self.end = end
  }

  private static func minutes(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      .map { $0.trimmed }
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// Whether a moment is within the quiet hours, by local time in that zone.
  public func contain(_ date: Date, in timeZone: LocalTimeZone) -> Bool {
    let minute = LocalMinute(WireTime(date), in: timeZone).minute
    return start < end
      ? (start..<end).contains(minute) : minute >= start || minute < end
  }

  public var description: String { "\(LocalMinute.text(start))-\(LocalMinute.text(end))" }
}
