import RallyText

/// A line editor with readline's commands. Positions count grapheme clusters.
struct TextEditor {
  private(set) var characters: [Character]
  private(set) var caret: Int
  private var killed: [Character] = []
  private var source: String

  init(_ text: String = "") {
    source = text
    characters = Array(text)
    caret = characters.count
  }

  package var text: String { source }

  /// Replaces the text if it was changed externally; the caret goes to its end.
  mutating func show(_ text: String) {
    guard text != source else { return }
    source = text
    characters = Array(text)
    caret = characters.count
  }

  /// Inserts at the caret; line breaks and tabs become spaces, other control characters are
  /// dropped.
  mutating func insert(_ text: String) {
    let clean = text.cleanedForDisplay
    let before = String(characters[..<caret]) + clean
    let after = String(characters[caret...])
    source = before + after
    characters = Array(source)
    // Recounted over the whole text: a combining mark joins the cluster before it.
    caret = min(Array(before).count, characters.count)
  }

  /// Inserts pasted text as one line, without leading and trailing line breaks.
  ///
  /// - Parameter limit: Maximum number of grapheme clusters of the whole text.
  /// - Returns: False if the text was cut.
  mutating func paste(_ text: String, limit: Int) -> Bool {
    let room = max(0, limit - characters.count)
    var whole = Substring(text)
    while whole.first?.isNewline == true { whole.removeFirst() }
    while whole.last?.isNewline == true { whole.removeLast() }
    // Scan only as far as the limit may reach: a paste can be megabytes.
    var head = Substring(whole.unicodeScalars.prefix((room + 1) * 8))
    let isCut = head.endIndex < whole.endIndex
    if isCut, head.count > 1 { head.removeLast() }
    let line = String(head.map { $0.isNewline ? " " : $0 }).cleanedForDisplay
    let kept = line.prefix(room)
    if !kept.isEmpty { insert(String(kept)) }
    return !isCut && kept.endIndex == line.endIndex
  }

  mutating func moveCaret(to index: Int) { caret = min(max(0, index), characters.count) }

  /// Performs the editing command of a key; false if the key is not an editing key.
  mutating func perform(_ chord: KeyChord) -> Bool {
    if let character = chord.typedCharacter {
      insert(String(character))
      return true
    }
    switch (chord.key, chord.modifiers) {
    case (.left, []), (.character("b"), .control): caret = max(0, caret - 1)
    case (.right, []), (.character("f"), .control): caret = min(characters.count, caret + 1)
    case (.home, []), (.character("a"), .control): caret = 0
    case (.end, []), (.character("e"), .control): caret = characters.count
    case (.character("b"), .alt), (.left, .control), (.left, .alt): caret = wordStart
    case (.character("f"), .alt), (.right, .control), (.right, .alt): caret = wordEnd
    case (.backspace, []), (.character("h"), .control): remove(max(0, caret - 1)..<caret)
    case (.delete, []), (.character("d"), .control):
      remove(caret..<min(characters.count, caret + 1))
    case (.character("u"), .control): kill(0..<caret)
    case (.character("k"), .control): kill(caret..<characters.count)
    case (.character("w"), .control): kill(blankStart..<caret)
    case (.backspace, .alt): kill(wordStart..<caret)
    case (.character("d"), .alt): kill(caret..<wordEnd)
    case (.character("y"), .control): insert(String(killed))
    default: return false
    }
    return true
  }

  private mutating func remove(_ range: Range<Int>) {
    characters.removeSubrange(range)
    source = String(characters)
    characters = Array(source)
    caret = min(range.lowerBound, characters.count)
  }

  private mutating func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    killed = Array(characters[range])
    remove(range)
  }

  private func isWord(_ index: Int) -> Bool {
    characters[index].isLetter || characters[index].isNumber
  }

  private var wordStart: Int {
    var index = caret
    while index > 0, !isWord(index - 1) { index -= 1 }
    while index > 0, isWord(index - 1) { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = caret
    while index < characters.count, !isWord(index) { index += 1 }
    while index < characters.count, isWord(index) { index += 1 }
    return index
  }

  /// Where ^W deletes to: back over spaces, then to the space before the word, as in a shell.
  private var blankStart: Int {
    var index = caret
    while index > 0, characters[index - 1] == " " { index -= 1 }
    while index > 0, characters[index - 1] != " " { index -= 1 }
    return index
  }
}
