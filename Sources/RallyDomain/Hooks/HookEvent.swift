import FoundationEssentials
import RallySystem
import RallyWire

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
