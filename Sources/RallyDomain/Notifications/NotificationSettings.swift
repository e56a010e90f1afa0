import RallyWire

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
