/// Content with an optional modal sheet over it.
struct ModalView<Item>: PrimitiveView {
  let content: AnyView
  let item: Binding<Item?>
  let sheet: @MainActor (Item) -> AnyView

  public func update(_ node: Node) {
    node.child(content)
    guard let shown = node.observe({ item.wrappedValue }) else { return }
    let view = node.observe { sheet(shown) }
    node.child(SheetView(content: view, dismiss: { item.wrappedValue = nil }))
  }
}

/// The modal sheet: centred; on a compact terminal it has the screen. The last row stays free for its
/// keys.
///
/// In plain mode it replaces the content, which a screen reader would otherwise read along with it.
struct SheetView: PrimitiveView, WrappingLayout {
  let content: AnyView
  let dismiss: @MainActor () -> Void

  func update(_ node: Node) {
    node.layout = self
    node.isOverlay = true
    node.isModal = true
    node.actionHandlers = [ActionHandler(.back, dismiss)]
    node.child(OverflowView(content: content))
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    guard !node.environment.isPlain else {
      return placeContent(node, in: rect.inset(by: PlainFrame.insets))
    }
    let isCompact = rect.size.isCompact
    var area = rect
    area.size.height = rect.size.sheetHeight
    var size = measureContent(node, area.size)
    if isCompact { size.width = area.width }
    size.width = min(size.width, area.width)
    size.height = min(size.height, area.height)
    let alignment = isCompact ? Alignment.topLeading : .center
    // In the middle of the screen, as far as the last row stays free.
    var frame = alignment.place(size, in: isCompact ? area : rect)
    frame.origin.y = min(frame.minY, area.maxY - size.height)
    placeContent(node, in: frame)
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let screen = node.frame
    if !canvas.isPlain, screen.size.isCompact {
      canvas.fill(
        Rect(x: screen.minX, y: screen.minY, width: screen.width, height: screen.size.sheetHeight))
    }
    for item in node.items {
      // Only what is framed is erased: a sheet may be wider or higher than its box.
      canvas.fill(canvas.isPlain ? item.frame : Self.framed(item).intersection(item.frame))
      // A selection or text field inside moves the cursor from here.
      if canvas.isPlain { canvas.setCursor(item.frame.origin, isVisible: true) }
      item.draw(canvas)
    }
  }

  /// The frame of the box, whatever holds it.
  private static func framed(_ node: Node) -> Rect {
    guard node.layout is any WrappingLayout, !(node.layout is Box), node.items.count == 1 else {
      return node.frame
    }
    return framed(node.items[0])
  }
}

extension View {
  /// Shows a modal sheet over the whole screen while `item` is not nil.
  ///
  /// It receives all keys except those of handlers marked global. `back` (Esc) sets the item to nil
  /// unless the sheet handles that action itself.
  public func modal<Item>(
    item: Binding<Item?>, @ViewBuilder content: @escaping @MainActor (Item) -> some View
  ) -> some View {
    ModalView(content: AnyView(self), item: item, sheet: { AnyView(content($0)) })
  }
}

/// Key hints at the bottom of a sheet: `c new code  x take back  Esc close`, whole ones in as many
/// lines as they need.
///
/// Shows the current key bindings, so it follows user configuration. A click on a hint performs its
/// action.
package struct KeyHints: View {
  private let hints: [(actions: [Action], title: String)]

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  package init(_ hints: [(action: Action, title: String)]) {
    self.init(joined: hints.map { (actions: [$0.action], title: $0.title) })
  }

  /// - Parameter joined: Hints that may combine several keys, such as `h/l less, more`.
  package init(joined hints: [(actions: [Action], title: String)]) { self.hints = hints }

  package var body: some View {
    VStack(spacing: 0) {
      ForEach(Array(lines.enumerated()), id: \.offset) { line in
        ClickLine(
          line.element.enumerated().flatMap { parts(of: $0.element, isFirst: $0.offset == 0) })
      }
    }
    .showsHints(of: hints.flatMap(\.actions).map(\.id))
  }

  /// Cells between the edges of the terminal and the hints: the border of a box, and its padding.
  private static let margins = 6

  private var lines: [[(actions: [Action], title: String)]] {
    let room = terminalSize.width - Self.margins
    var lines: [[(actions: [Action], title: String)]] = []
    var used = 0
    for hint in hints {
      let width = parts(of: hint, isFirst: true).reduce(0) { $0 + $1.width }
      if !lines.isEmpty, used + 2 + width <= room {
        used += 2 + width
        lines[lines.count - 1].append(hint)
      } else {
        used = width
        lines.append([hint])
      }
    }
    return lines
  }

  private func parts(
    of hint: (actions: [Action], title: String), isFirst: Bool
  ) -> [ClickLine.Part] {
    hint.actions.enumerated().map { place, action in
      let before = place > 0 ? "/" : isFirst ? "" : "  "
      let key = actions.table.way(to: action)
      let perform: @MainActor () -> Void = { [actions] in actions.perform(action.id) }
      guard place == hint.actions.count - 1 else {
        return ClickLine.Part(Span("\(before)\(key)", .accent), perform: perform)
      }
      return ClickLine.Part(Span("\(before)\(key) ", .accent), Span(hint.title), perform: perform)
    }
  }
}

/// The default action and the cancel action of a question: `[ Accept ↵ ]     Not now  Esc`.
package struct ChoiceLine: View {
  let title: String
  let action: Action
  let otherTitle: String

  @Environment(\.actions) private var actions

  package init(title: String, action: Action, otherTitle: String) {
    self.title = title
    self.action = action
    self.otherTitle = otherTitle
  }

  package var body: some View {
    let table = actions.table
    ClickLine([
      ClickLine.Part(Span("[ \(title) \(table.way(to: action)) ]", .accent.bold)) { [actions] in
        actions.perform(action.id)
      },
      ClickLine.Part(Span("     ")),
      ClickLine.Part(Span("\(otherTitle)  \(table.way(to: .back))", .dim)) { [actions] in
        actions.perform(Action.back.id)
      },
    ])
    .showsHints(of: [action.id, Action.back.id])
  }
}
