import RallyWire

/// One line to type into. While focused it takes printable keys and readline's control keys before
/// anything else sees them; Esc, Tab and, without `onSubmit`, Enter go on to the actions.
public struct TextField: PrimitiveView {
  let text: Binding<String>
  let placeholder: String
  let isSecret: Bool
  let isFocused: Bool
  let onSubmit: (@MainActor () -> Void)?

  public init(
    text: Binding<String>, placeholder: String = "", isSecret: Bool = false, isFocused: Bool,
    onSubmit: (@MainActor () -> Void)? = nil
  ) {
    self.text = text
    self.placeholder = placeholder
    self.isSecret = isSecret
    self.isFocused = isFocused
    self.onSubmit = onSubmit
  }

  public func update(_ node: Node) {
    let state = (node.storage as? TextFieldState) ?? TextFieldState()
    node.storage = state
    node.layout = state
    node.input = state
    state.show(self, text: node.observe { text.wrappedValue })
  }
}

/// The caret and the scroll of a text field.
@MainActor final class TextFieldState: LayoutElement, InputTarget {
  private var field: TextField?
  private var editor = TextEditor()
  private var firstVisible = 0

  var isFocused: Bool { field?.isFocused ?? false }

  func show(_ field: TextField, text: String) {
    self.field = field
    editor.show(text)
  }

  func handle(_ chord: KeyChord) -> Bool {
    if chord == KeyChord(.enter), let submit = field?.onSubmit {
      submit()
      return true
    }
    let caret = editor.caret
    let before = editor.text
    guard editor.perform(chord) else { return false }
    commit(before: before, caretMoved: caret != editor.caret)
    return true
  }

  func paste(_ text: String) -> Bool {
    let before = editor.text
    editor.insert(text)
    commit(before: before, caretMoved: true)
    return true
  }

  private func commit(before: String, caretMoved: Bool) {
    guard editor.text != before else { return }
    let text = editor.text
    field?.text.wrappedValue = text
    // A binding may refuse or change what was typed; then the field shows what it kept.
    if let kept = field?.text.wrappedValue, kept != text { editor.show(kept) }
  }

  // MARK: Drawing

  func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: proposal.width, height: min(1, proposal.height))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let frame = node.frame
    guard frame.width > 0, frame.height > 0 else { return }
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

  /// Keeps the caret, and a cell for it at the end, in view; looks only at what can be seen.
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
    // Text that was deleted at the end lets the beginning come back.
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
