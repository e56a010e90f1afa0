import Synchronization

/// The person's settings for character widths in their terminal, read by all layout.
///
/// One value per process. After a change everything must be laid out again.
public struct TextWidths: Hashable, Sendable {
  /// Whether characters of ambiguous width (UAX #11) take two cells, as in East Asian fonts.
  public var isAmbiguousWide: Bool
  /// Whether emoji are spelled out as words.
  public var spellsEmoji: Bool

  public init(isAmbiguousWide: Bool = false, spellsEmoji: Bool = false) {
    self.isAmbiguousWide = isAmbiguousWide
    self.spellsEmoji = spellsEmoji
  }

  private static let bits = Atomic<UInt8>(0)

  /// The current settings; an atomic, safe to read from any thread.
  public static var current: TextWidths {
    get {
      let value = bits.load(ordering: .relaxed)
      return TextWidths(isAmbiguousWide: value & 1 != 0, spellsEmoji: value & 2 != 0)
    }
    set {
      bits.store(
        (newValue.isAmbiguousWide ? 1 : 0) | (newValue.spellsEmoji ? 2 : 0),
        ordering: .relaxed)
    }
  }
}
