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

  /// On a terminal of eight colours the bright eight are the dark ones: bold in front, as they are
  /// behind.
  package var inEightColors: Appearance {
    var few = self
    if (8..<16).contains(foreground) {
      few.foreground -= 8
      few.attributes.insert(.bold)
    }
    if (8..<16).contains(background) { few.background -= 8 }
    return few
  }
}
