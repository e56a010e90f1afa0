import RallyClient
import RallySystem
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
  /// - Parameter events: At least one.
  public static func sentence(about events: [NotificationEvent]) -> String {
    let kinds = NotificationEvent.Kind.allCases.filter { kind in events.contains { $0.kind == kind }
    }
    if events.count == 1, let only = events.first { return sentence(about: only) }
    if kinds.count == 1, let kind = kinds.first { return sentence(about: events, of: kind) }
    return kinds.map { kind in count(events.count { $0.kind == kind }, kind) }
      .joined(separator: ", ")
  }

  private static func sentence(about event: NotificationEvent) -> String {
    let who = event.username.map { "@\($0)" }
    return switch event.kind {
    case .request: "\(who ?? "Somebody") \(FriendshipStatus.asksForFriendship)."
    case .friendship: "\(who ?? "Somebody") is a friend now."
    case .question: "\(who ?? "Somebody") asks where you are."
    case .sharing: "\(who ?? "Somebody") shows you \(event.text)."
    case .alert: "\(who ?? "Somebody") \(event.text)."
    case .arrival: "\(who ?? "Somebody") arrived at “\(event.title)”."
    case .invitation: "You are invited to “\(event.title)”."
    case .message: "\(who ?? "Somebody") in “\(event.title)”: \(event.text)"
    case .completion: "“\(event.title)” is completed."
    }
  }

  private static func sentence(about events: [NotificationEvent], of kind: NotificationEvent.Kind)
    -> String
  {
    switch kind {
    case .request: return "\(events.count) people want to be friends."
    case .friendship: return "\(events.count) people are friends now."
    case .question: return "\(events.count) friends ask where you are."
    case .sharing: return "\(events.count) friends show you where they are."
    case .alert: return "\(events.count) friends are, or left, where you wanted to hear of it."
    case .arrival:
      let titles = Set(events.map(\.title))
      let place = titles.count == 1 ? titles.first.map { "“\($0)”" } : nil
      return "\(events.count) people arrived at \(place ?? "missions")."
    case .invitation: return "You are invited to \(events.count) missions."
    case .completion: return "\(events.count) missions are completed."
    case .message:
      let missions = Set(events.map(\.missionID)).count
      return missions == 1
        ? "\(events.count) messages in “\(events.first?.title ?? "")”."
        : "\(events.count) messages in \(missions) missions."
    }
  }

  private static func count(_ count: Int, _ kind: NotificationEvent.Kind) -> String {
    let (one, many) =
      switch kind {
      case .request: ("friend request", "friend requests")
      case .friendship: ("new friend", "new friends")
      case .question: ("question where you are", "questions where you are")
      case .sharing: ("friend who shows you where they are", "friends who show you where they are")
      case .alert: ("alert about a friend", "alerts about friends")
      case .arrival: ("arrival", "arrivals")
      case .invitation: ("invitation", "invitations")
      case .message: ("message", "messages")
      case .completion: ("completed mission", "completed missions")
      }
    return "\(count) \(count == 1 ? one : many)"
  }
}

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
