import RallyText

/// A single-line text field. While focused it handles printable and readline control keys before
/// anything else. Esc, Tab and, without `onSubmit`, the keys of `submit` are passed on to the
/// actions.
public struct TextField: PrimitiveView {
  package let text: Binding<String>
  let placeholder: String
  let isSecret: Bool
  let isFocused: Bool
  let limit: Int
  let onSubmit: (@MainActor () -> Void)?

  /// Default limit: longer than any typed line, short enough to be edited without delay.
  public static let usualLimit = 2000

  /// - Parameter limit: Maximum number of grapheme clusters; the person is notified when input
  ///   exceeds it.
  public init(
    text: Binding<String>, placeholder: String = "", isSecret: Bool = false, isFocused: Bool,
    limit: Int = usualLimit, onSubmit: (@MainActor () -> Void)? = nil
  ) {
    self.text = text
    self.placeholder = placeholder
    self.isSecret = isSecret
    self.isFocused = isFocused
    self.limit = limit
    self.onSubmit = onSubmit
  }

  public func update(_ node: Node) {
    let state = (node.storage as? TextFieldState) ?? TextFieldState()
    node.storage = state
    node.layout = state
    node.input = state
    node.mouse = state
    state.notify = { [weak node] in node?.graph.notify($0) }
    state.show(self, text: node.observe { text.wrappedValue }, catalog: node.environment.actions)
  }
}

/// Caret and scroll state of a text field.
@MainActor final class TextFieldState: LayoutElement, InputTarget, MouseTarget {
  /// Shows a notice to the person.
  var notify: @MainActor (String) -> Void = { _ in }
  private var field: TextField?
  private var catalog: ActionCatalog?
  private var editor = TextEditor()
  private var firstVisible = 0
  /// Column where the field was last drawn.
  private var left = 0

  var isFocused: Bool { field?.isFocused ?? false }

  func show(_ field: TextField, text: String, catalog: ActionCatalog) {
    self.field = field
    self.catalog = catalog
    editor.show(text)
  }

  func handle(_ chord: KeyChord) -> Bool {
    if let submit = field?.onSubmit, submits(chord) {
      submit()
      return true
    }
    let before = editor.text
    if chord.typedCharacter != nil, editor.characters.count >= limit {
      notify("This field takes no more than \(limit) characters.")
      return true
    }
    guard editor.perform(chord) else { return false }
    commit(before: before)
    return true
  }

  /// Whether the key submits: a key bound to `submit` if the table has that action, else Enter.
  /// Never a printable character.
  private func submits(_ chord: KeyChord) -> Bool {
    guard chord.typedCharacter == nil else { return false }
    guard let action = catalog?.table[Action.submit.id] else { return chord == KeyChord(.enter) }
    return action.keys.contains(KeySequence([chord]))
  }

  func paste(_ text: String) -> Bool {
    let before = editor.text
    let isWhole = editor.paste(text, limit: limit)
    commit(before: before)
    if !isWhole {
      notify("This field takes no more than \(limit) characters; the rest was not pasted.")
    }
    return true
  }

  private var limit: Int { field?.limit ?? TextField.usualLimit }

  private func commit(before: String) {
    guard editor.text != before else { return }
    let text = editor.text
    field?.text.wrappedValue = text
    // The binding may reject or change the text; show what it kept.
    if let kept = field?.text.wrappedValue, kept != text { editor.show(kept) }
  }

  /// Moves the caret to the click. Returns false while unfocused, so that a view below can set the
  /// focus.
  func handle(_ event: MouseEvent) -> Bool {
    guard event.button == 0, event.kind == .press || event.kind == .drag else { return false }
    var x = left
    var index = firstVisible
    while index < editor.characters.count, x + width(at: index) <= event.position.x {
      x += width(at: index)
      index += 1
    }
    editor.moveCaret(to: index)
    return isFocused
  }

  // MARK: Drawing

  func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: proposal.width, height: min(1, proposal.height))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let frame = node.frame
    guard frame.width > 0, frame.height > 0 else { return }
    left = frame.minX
    if editor.characters.isEmpty {
      canvas.draw(placeholder(in: frame.width), at: frame.origin, style: .dim)
      if isFocused { canvas.setCaret(frame.origin) }
      return
    }
    scroll(into: frame.width)
    var x = frame.minX
    var index = firstVisible
    while index < editor.characters.count, x < frame.maxX {
      let width = width(at: index)
      if x + width > frame.maxX { break }
      let shown = field?.isSecret == true ? "•" : String(editor.characters[index])
      if index == editor.caret, isFocused {
        canvas.setCaret(Point(x: x, y: frame.minY))
      }
      x += canvas.draw(shown, at: Point(x: x, y: frame.minY))
      index += 1
    }
    if editor.caret >= index, isFocused {
      canvas.setCaret(Point(x: min(x, frame.maxX - 1), y: frame.minY))
    }
  }

  private func placeholder(in room: Int) -> String {
    (field?.placeholder ?? "").truncated(toCells: room)
  }

  private func width(at index: Int) -> Int {
    field?.isSecret == true ? 1 : CellWidth.width(of: editor.characters[index])
  }

  /// Scrolls so that the caret, or its cell after the last character, is visible. Measures visible
  /// characters only.
  private func scroll(into room: Int) {
    firstVisible = min(firstVisible, editor.caret)
    var used = 1
    var first = editor.caret
    while first > firstVisible {
      let width = width(at: first - 1)
      if used + width > room { break }
      used += width
      first -= 1
    }
    firstVisible = max(firstVisible, first)
    // After deleting at the end, scroll back to fill the field.
    while firstVisible > 0 {
      var length = 1
      var index = firstVisible - 1
      while index < editor.characters.count, length <= room {
        length += width(at: index)
        index += 1
      }
      if length > room { break }
      firstVisible -= 1
    }
  }
}

/// A line editor with readline's commands. Positions count grapheme clusters.
private struct TextEditor {
  private(set) var characters: [Character]
  private(set) var caret: Int
  private var killed: [Character] = []
  private var source: String

  init(_ text: String = "") {
    source = text
    characters = Array(text)
    caret = characters.count
  }

  var text: String { source }

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
