import FoundationEssentials
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
    /// A friend is where I wanted to hear of it, or left.
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
  /// The text of a message, what somebody shows me such as `their city`, what an alert tells such as
  /// `is within 500 m of you`; empty for other kinds.
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
