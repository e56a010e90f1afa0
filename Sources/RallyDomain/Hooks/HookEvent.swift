import FoundationEssentials
import RallySystem
import RallyWire

/// What a hook is run for; a key of `[hooks]` each.
public enum Hook: String, Hashable, Sendable, CaseIterable, Encodable {
  case request, arrival, message, mission, policy

  /// `on_request`.
  public var key: String { "on_\(rawValue)" }

  /// The hook that hears of an event.
  public init(_ kind: NotificationEvent.Kind) {
    switch kind {
    case .request, .friendship, .question: self = .request
    case .sharing, .alert, .arrival: self = .arrival
    case .message: self = .message
    case .invitation, .completion: self = .mission
    }
  }
}

/// `[hooks]` of `config.toml`.
public struct HookSettings: Hashable, Sendable {
  private var commands: [Hook: [String]] = [:]

  public init() {}

  /// A program and its arguments; nil for none.
  public subscript(hook: Hook) -> [String]? {
    get { commands[hook] }
    set { commands[hook] = newValue }
  }
}

/// What a hook reads on its standard input, as one line of JSON.
public struct HookEvent: Hashable, Sendable, Encodable {
  public let hook: Hook
  /// More exactly than the hook: `request`, `friendship`, `question`, `sharing`, `alert`, `arrival`,
  /// `message`, `invitation`, `completion` or `policy`.
  public let kind: String
  /// The local name of the account.
  public let profile: String
  public let at: WireTime
  /// Who did it.
  public var username: String?
  public var missionID: String?
  public var missionTitle: String?
  /// The message, what somebody shows, what an alert tells, or the policy in words.
  public var text: String?

  private enum CodingKeys: String, CodingKey {
    case hook = "event"
    case kind, profile, at, username, text
    case missionID = "mission_id"
    case missionTitle = "mission_title"
  }

  public init(_ event: NotificationEvent, profile: String, at now: WireTime) {
    hook = Hook(event.kind)
    kind = "\(event.kind)"
    self.profile = profile
    at = now
    username = event.username
    missionID = event.missionID?.wireText
    missionTitle = event.title.isEmpty ? nil : event.title
    text = event.text.isEmpty ? nil : event.text
  }

  public init(policy sentence: PolicySentence, profile: String, at now: WireTime) {
    hook = .policy
    kind = sentence.word.lowercased()
    self.profile = profile
    at = now
    text = sentence.words
  }
}
