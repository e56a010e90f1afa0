import RallyText
import RallyWire

/// A notification outside of Rally's screen: one line, which may summarize several events.
public struct Announcement: Hashable, Sendable {
  /// How to notify; a bell carries no text.
  public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
    case off, bell, message

    public static func < (one: Self, other: Self) -> Bool { one.loudness < other.loudness }

    private var loudness: Int { self == .off ? 0 : self == .bell ? 1 : 2 }
  }

  public var level: Level
  /// Clean text of at most `longest` characters.
  public var text: String

  /// In characters; some terminals and multiplexers drop much longer sequences.
  public static let longest = 160

  public init(level: Level, text: String) {
    self.level = level
    let clean = text.cleanedForDisplay
    self.text = clean.count > Self.longest ? clean.prefix(Self.longest - 1) + "…" : clean
  }

  /// One line about all events: a sentence if they are of one kind, otherwise a count per kind.
  ///
  /// - Parameter news: At least one.
  static func sentence(about news: [News]) -> String {
    let kinds = News.Kind.allCases.filter { kind in news.contains { $0.kind == kind } }
    if news.count == 1, let only = news.first { return sentence(about: only) }
    if kinds.count == 1, let kind = kinds.first { return sentence(about: news, of: kind) }
    return kinds.map { kind in count(news.count { $0.kind == kind }, kind) }
      .joined(separator: ", ")
  }

  private static func sentence(about news: News) -> String {
    let who = news.username.map { "@\($0)" }
    return switch news.kind {
    case .request: "\(who ?? "Somebody") asks to be your friend."
    case .friendship: "\(who ?? "Somebody") is a friend now."
    case .invitation: "You are invited to “\(news.title)”."
    case .message: "\(who ?? "Somebody") in “\(news.title)”: \(news.text)"
    case .completion: "“\(news.title)” is completed."
    }
  }

  private static func sentence(about news: [News], of kind: News.Kind) -> String {
    switch kind {
    case .request: return "\(news.count) people ask to be your friends."
    case .friendship: return "\(news.count) people are friends now."
    case .invitation: return "You are invited to \(news.count) missions."
    case .completion: return "\(news.count) missions are completed."
    case .message:
      let missions = Set(news.map(\.missionID)).count
      return missions == 1
        ? "\(news.count) messages in “\(news.first?.title ?? "")”."
        : "\(news.count) messages in \(missions) missions."
    }
  }

  private static func count(_ count: Int, _ kind: News.Kind) -> String {
    let (one, many) =
      switch kind {
      case .request: ("friend request", "friend requests")
      case .friendship: ("new friend", "new friends")
      case .invitation: ("invitation", "invitations")
      case .message: ("message", "messages")
      case .completion: ("completed mission", "completed missions")
      }
    return "\(count) \(count == 1 ? one : many)"
  }
}
