/// A style resolved for a terminal: colour numbers (-1 is the terminal's default) and attributes.
public struct Appearance: Hashable, Sendable {
  public var foreground: Int32
  public var background: Int32
  public var attributes: TextAttributes

  public init(
    foreground: Int32 = -1, background: Int32 = -1, attributes: TextAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }
}
