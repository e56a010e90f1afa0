import RallyDomain
import TerminalKit

extension TextWidths {
  /// What the configuration says about this terminal.
  public init(_ configuration: Configuration) {
    self.init(
      isAmbiguousWide: configuration.ambiguousWidth == .wide,
      spellsEmoji: configuration.emoji == .text)
  }
}
