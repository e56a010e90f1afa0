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
