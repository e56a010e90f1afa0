/// Text substitutes for emoji: `:party popper:`, or `:PT:` for a flag.
///
/// Source: character names of the Unicode Character Database, truncated after a word.
enum EmojiText {
  /// Maximum number of letters between the colons.
  static let limit = 20

  /// - Returns: ASCII text; nil if the cluster is not an emoji.
  package static func text(for character: Character) -> String? {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, first.value > 0x7F || scalars.count > 1 else { return nil }
    if (0x1F1E6...0x1F1FF).contains(first.value) {
      let letters = scalars.compactMap { Unicode.Scalar($0.value &- 0x1F1E6 &+ 0x41) }
        .filter { ("A"..."Z").contains($0) }
      return ":" + String(String.UnicodeScalarView(letters)) + ":"
    }
    guard CellWidth.isPicture(character) || first.properties.isEmojiPresentation else { return nil }
    if first.isASCII { return ":\(first):" }
    // A family lists its members; skin tones are omitted.
    let members = scalars.filter { $0.properties.isEmoji && !$0.properties.isEmojiModifier }
    let words = members.flatMap { ($0.properties.name ?? "").lowercased().split(separator: " ") }
    var name = ""
    for word in words {
      guard name.utf8.count + word.utf8.count + 1 <= limit else { break }
      name += name.isEmpty ? String(word) : " \(word)"
    }
    if name.isEmpty { name = words.first.map { String($0.prefix(limit)) } ?? "emoji" }
    return ":\(name):"
  }
}
