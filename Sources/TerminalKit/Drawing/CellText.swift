extension StringProtocol {
  /// The text with emoji spelled out, if the person prefers that (`TextWidths.spellsEmoji`).
  fileprivate var withEmojiWritten: String {
    guard TextWidths.current.spellsEmoji else { return String(self) }
    return reduce(into: "") { $0 += EmojiText.text(for: $1) ?? String($1) }
  }

  /// Width of the text on one line, in cells.
  public var cellWidth: Int { CellWidth.width(of: self) }

  /// Truncates to at most `limit` cells, with `…` at the end if cut.
  public func truncated(toCells limit: Int) -> String {
    guard limit > 0 else { return "" }
    if utf8.count <= limit, TextWidths.current == TextWidths() { return String(self) }
    var used = 0
    var kept = ""
    var fitting = ""
    for character in self {
      let width = CellWidth.width(of: character)
      if used + width > limit { return fitting + "…" }
      used += width
      kept.append(character)
      if used <= limit - 1 { fitting = kept }
    }
    return kept
  }

  /// Truncates or pads with spaces to exactly `count` cells.
  public func padded(toCells count: Int, alignment: HorizontalAlignment = .leading) -> String {
    let text = truncated(toCells: count)
    let blanks = Swift.max(0, count - text.cellWidth)
    let before =
      switch alignment {
      case .leading: 0
      case .center: blanks / 2
      case .trailing: blanks
      }
    return String(repeating: " ", count: before) + text
      + String(repeating: " ", count: blanks - before)
  }

  /// Wraps into lines of at most `limit` cells.
  ///
  /// Lines break at spaces, words longer than a line between grapheme clusters. Line feeds end a
  /// line; the space at a break is dropped.
  public func wrapped(toCells limit: Int) -> [String] {
    guard limit > 0 else { return [] }
    return split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      Self.wrapLine($0, limit)
    }
  }

  private static func wrapLine(_ line: some StringProtocol, _ limit: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    var used = 0
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let width = word.cellWidth
      let gap = current.isEmpty ? 0 : 1
      if used + gap + width <= limit {
        if gap == 1 { current += " " }
        current += word
        used += gap + width
        continue
      }
      if !current.isEmpty {
        lines.append(current)
        current = ""
        used = 0
      }
      for character in word.withEmojiWritten {
        var character = character
        var width = CellWidth.width(of: character)
        // Some clusters are wider than a narrow column.
        if width > limit { (character, width) = ("…", 1) }
        if used + width > limit, !current.isEmpty {
          lines.append(current)
          current = ""
          used = 0
        }
        current.append(character)
        used += width
      }
    }
    if !current.isEmpty || lines.isEmpty { lines.append(current) }
    return lines
  }
}
