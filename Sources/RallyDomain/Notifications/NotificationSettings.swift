import RallyWire

/// How a line reaches a person who looks elsewhere.
public enum NotificationWay: String, Hashable, Sendable, CaseIterable {
  /// The desktop where its bus is reached, else what the terminal is known to understand, else its
  /// bell.
  case auto
  case bell
  /// As iTerm2 began it: one text.
  case osc9
  /// As rxvt began it: `notify` with a title and a text.
  case osc777
  /// As kitty began it: a title and a text, the newest in place of the one before.
  case osc99
  /// The desktop's own, over the session bus.
  case dbus
  case none
}

/// `[notifications]` of `config.toml`.
public struct NotificationSettings: Hashable, Sendable {
  public var way = NotificationWay.auto
  /// For friend requests, and for those who accepted mine.
  public var requests = Announcement.Level.message
  /// For what is said in missions.
  public var messages = Announcement.Level.message
  /// For invitations to missions, and for their completion.
  public var missions = Announcement.Level.message
  public var quiet: QuietHours?
  /// Of whom nothing is announced, in the order of the file.
  public var muted: [Username] = []

  public init() {}

  public func level(of kind: News.Kind) -> Announcement.Level {
    switch kind {
    case .request, .friendship: requests
    case .message: messages
    case .invitation, .completion: missions
    }
  }
}
