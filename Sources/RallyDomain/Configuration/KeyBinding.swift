/// An entry of `[keys]`: replaces the default keys of an action.
///
/// Action and keys are unparsed text, since only the interface knows them.
public struct KeyBinding: Sendable, Hashable {
  /// A key, or a sequence of keys: `g g`.
  public struct Keys: Sendable, Hashable {
    public var text: String
    public var place: SourcePosition?

    public init(_ text: String, place: SourcePosition? = nil) {
      self.text = text
      self.place = place
    }
  }

  /// The action's id, or its name on the command line.
  public var action: String
  /// All keys of the action; empty if it is unbound.
  public var keys: [Keys]
  public var place: SourcePosition?

  public init(action: String, keys: [Keys], place: SourcePosition? = nil) {
    self.action = action
    self.keys = keys
    self.place = place
  }

  /// The value that unbinds an action.
  public static let none = "none"
}
