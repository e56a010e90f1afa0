/// A line of `[keys]`: what leads to an action in place of the keys that it comes with.
///
/// Only the interface knows actions and keys, so both are kept as they were written.
public struct KeyBinding: Sendable, Hashable {
  /// A key, or several pressed one after the other: `g g`.
  public struct Keys: Sendable, Hashable {
    public var text: String
    public var place: ConfigurationPlace?

    public init(_ text: String, place: ConfigurationPlace? = nil) {
      self.text = text
      self.place = place
    }
  }

  /// The id of the action, or the name that the command line knows it by.
  public var action: String
  /// All the ways to it; none when it is unbound.
  public var keys: [Keys]
  public var place: ConfigurationPlace?

  public init(action: String, keys: [Keys], place: ConfigurationPlace? = nil) {
    self.action = action
    self.keys = keys
    self.place = place
  }

  /// The word that takes all keys from an action.
  public static let none = "none"
}
