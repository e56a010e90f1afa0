import RallyDomain
import Synchronization

/// What the person told about the widths of their terminal: every layout asks for it.
///
/// One for the process, as the terminal is one. What was laid out before a change has to be laid out anew.
public struct TextWidths: Hashable, Sendable {
  public var ambiguous: AmbiguousWidthSetting
  public var emoji: EmojiSetting

  public init(ambiguous: AmbiguousWidthSetting = .narrow, emoji: EmojiSetting = .picture) {
    self.ambiguous = ambiguous
    self.emoji = emoji
  }

  public init(_ configuration: Configuration) {
    self.init(ambiguous: configuration.ambiguousWidth, emoji: configuration.emoji)
  }

  private static let bits = Atomic<UInt8>(0)

  /// What holds now.
  public static var current: TextWidths {
    get {
      let value = bits.load(ordering: .relaxed)
      return TextWidths(
        ambiguous: value & 1 == 0 ? .narrow : .wide, emoji: value & 2 == 0 ? .picture : .text)
    }
    set {
      bits.store(
        (newValue.ambiguous == .wide ? 1 : 0) | (newValue.emoji == .text ? 2 : 0),
        ordering: .relaxed)
    }
  }
}
