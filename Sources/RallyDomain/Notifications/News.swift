import Foundation
import RallyWire

/// Something that others did and a person may want to be told of.
public struct News: Hashable, Sendable {
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// Somebody asks to be a friend.
    case request
    /// Somebody accepted my request.
    case friendship
    /// Somebody wants me in a mission.
    case invitation
    /// Somebody said something in a mission of mine.
    case message
    /// A mission of mine is completed.
    case completion
  }

  public var kind: Kind
  /// Who did it, without `@`; nil where nobody is named.
  public var username: String?
  /// The mission it is about; nil for people.
  public var missionID: UUID?
  /// The mission's title; empty for people.
  public var title: String
  /// What was said; empty for everything else.
  public var text: String
  /// The latest time by this machine's clock at which it had not happened yet.
  public var after: WireTime

  public init(
    _ kind: Kind, username: String? = nil, missionID: UUID? = nil, title: String = "",
    text: String = "", after: WireTime
  ) {
    self.kind = kind
    self.username = username
    self.missionID = missionID
    self.title = title
    self.text = text
    self.after = after
  }
}

/// What the person has before their eyes.
public struct ScreenStanding: Hashable, Sendable {
  public var tab: RallyTab
  /// What is open on top of the tab.
  public var route: Route?
  /// Whether the terminal's window is the chosen one; true where the terminal does not tell.
  public var hasFocus: Bool

  public init(tab: RallyTab, route: Route? = nil, hasFocus: Bool = true) {
    self.tab = tab
    self.route = route
    self.hasFocus = hasFocus
  }

  /// Whether the screen itself tells the news, so that nothing else has to.
  public func shows(_ news: News) -> Bool {
    guard hasFocus else { return false }
    switch news.kind {
    case .request, .friendship: return tab == .friends
    case .invitation, .completion: return tab == .missions
    case .message:
      guard tab == .missions, let missionID = news.missionID else { return false }
      return route == .mission(missionID)
    }
  }
}
