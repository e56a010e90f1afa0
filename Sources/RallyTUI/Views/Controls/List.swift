/// Rows of equal height of which only those on screen are built, and a selection by id.
///
/// The selection follows the item: when items come and go around it, it stays; when it goes
/// itself, the nearest neighbour is selected. It handles the movement actions of the table while
/// `isActive`.
public struct List<Data: RandomAccessCollection, ID: Hashable, Row: View>: PrimitiveView {
  let items: Data
  let id: KeyPath<Data.Element, ID>
  let selection: Binding<ID?>
  let rowHeight: Int
  let rowsBelow: Int
  let isActive: Bool
  let isSelectable: @MainActor (Data.Element) -> Bool
  let row: @MainActor (Data.Element, Bool) -> Row
  /// Tells a list whose selection moved from a new one.
  private let edition = ListEdition()

  /// - Parameters:
  ///   - rowHeight: Cells of every row.
  ///   - rowsBelow: How many rows below the selected one are kept in view with it, as far as there is
  ///     room.
  ///   - isActive: Whether keys move this list's selection and the cursor parks on it.
  ///   - isSelectable: False for headings, which the selection skips.
  ///   - row: A pure function of the item and of whether it is selected. Rows own no `@State`:
  ///     they are forgotten when they leave the screen.
  public init(
    _ items: Data, id: KeyPath<Data.Element, ID>, selection: Binding<ID?>, rowHeight: Int = 1,
    rowsBelow: Int = 0, isActive: Bool = true,
    isSelectable: @escaping @MainActor (Data.Element) -> Bool = { _ in true },
    @ViewBuilder row: @escaping @MainActor (Data.Element, Bool) -> Row
  ) {
    self.items = items
    self.rowsBelow = rowsBelow
    self.id = id
    self.selection = selection
    self.rowHeight = max(1, rowHeight)
    self.isActive = isActive
    self.isSelectable = isSelectable
    self.row = row
  }

  public func update(_ node: Node) {
    let state = (node.storage as? ListState<Data, ID, Row>) ?? ListState()
    node.storage = state
    node.layout = state
    node.mouse = state
    let selected = node.observe { selection.wrappedValue }
    if state.shows(edition) {
      state.moveSelection(to: selected, in: node)
    } else {
      state.show(self, edition, selected: selected)
      state.buildRows(node)
    }
    node.actionHandlers = isActive ? state.movements : []
  }
}

extension List where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(
    _ items: Data, selection: Binding<ID?>, rowHeight: Int = 1, isActive: Bool = true,
    isSelectable: @escaping @MainActor (Data.Element) -> Bool = { _ in true },
    @ViewBuilder row: @escaping @MainActor (Data.Element, Bool) -> Row
  ) {
    self.init(
      items, id: \.id, selection: selection, rowHeight: rowHeight, isActive: isActive,
      isSelectable: isSelectable, row: row)
  }
}

/// The identity of one value of a list.
final class ListEdition {}

/// What a list keeps between its values: where it is scrolled to and who was selected where.
@MainActor
final class ListState<Data: RandomAccessCollection, ID: Hashable, Row: View>:
  LayoutElement, MouseTarget
{
  private var list: List<Data, ID, Row>?
  private var edition: ListEdition?
  private var ids: [ID] = []
  private var previousIDs: [ID] = []
  private var selectedID: ID?
  private var selectedIndex: Int?
  private(set) var offset = 0
  private var height = 0
  private var built = 0..<0
  private var top = 0
  /// Where the selection was last moved to from here: saves looking through all ids.
  private var movedTo: Int?

  func shows(_ edition: ListEdition) -> Bool { edition === self.edition }

  /// Follows the selection in the list that is shown already.
  func moveSelection(to selected: ID?, in node: Node) {
    let former = selectedIndex
    selectedID = selected
    selectedIndex = selected.flatMap(index)
    buildRows(node, besides: { $0 != former && $0 != self.selectedIndex })
  }

  private func index(of id: ID) -> Int? {
    if let likely = movedTo, ids.indices.contains(likely), ids[likely] == id { return likely }
    return ids.firstIndex(of: id)
  }

  func show(_ list: List<Data, ID, Row>, _ edition: ListEdition, selected: ID?) {
    self.list = list
    self.edition = edition
    let newIDs = list.items.map { $0[keyPath: list.id] }
    if newIDs != ids {
      previousIDs = ids
      ids = newIDs
    }
    let anchor = selectedID == selected ? selectedIndex : nil
    selectedID = selected
    selectedIndex = selected.flatMap(index)
    if let selected, selectedIndex == nil, let anchor,
      let index = neighbour(of: selected, at: anchor)
    {
      let id = ids[index]
      selectedID = id
      selectedIndex = index
      let binding = list.selection
      // Written after the bodies have run, since a body may not write.
      pendingSelection = { binding.wrappedValue = id }
    }
  }

  private var pendingSelection: (@MainActor () -> Void)?

  /// The nearest selectable row to where a vanished one was: the next one below that was there
  /// already, else the nearest by position.
  private func neighbour(of vanished: ID, at index: Int) -> Int? {
    guard !ids.isEmpty else { return nil }
    if let old = previousIDs.firstIndex(of: vanished) {
      let positions = Dictionary(
        ids.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
      for id in previousIDs[(old + 1)...] {
        if let position = positions[id], isSelectable(position) { return position }
        if positions[id] != nil { break }
      }
      for id in previousIDs[..<old].reversed() {
        if let position = positions[id], isSelectable(position) { return position }
      }
    }
    let start = min(index, ids.count - 1)
    for distance in 0..<ids.count {
      for position in [start + distance, start - distance]
      where ids.indices.contains(position) && isSelectable(position) { return position }
    }
    return nil
  }

  private func element(at index: Int) -> Data.Element? {
    guard let items = list?.items, index >= 0, index < items.count else { return nil }
    return items[items.index(items.startIndex, offsetBy: index)]
  }

  private func isSelectable(_ index: Int) -> Bool {
    guard let list, let element = element(at: index) else { return false }
    return list.isSelectable(element)
  }

  // MARK: Rows

  private var rowHeight: Int { list?.rowHeight ?? 1 }
  private var pageRows: Int { max(1, height / rowHeight) }

  /// Builds the rows on screen and one more on either side.
  ///
  /// - Parameter isKept: True for a row that stays as it is if it was built before.
  func buildRows(_ node: Node, besides isKept: (Int) -> Bool = { _ in false }) {
    if let work = pendingSelection {
      pendingSelection = nil
      node.graph.afterUpdate(work)
    }
    guard let list else { return }
    let known = built
    built = visibleRange()
    for index in built {
      guard let element = element(at: index) else { continue }
      let id = AnyHashable(ids[index])
      if known.contains(index), isKept(index), node.keepChild(RowView<Row>.self, id: id) {
        continue
      }
      let isSelected = index == selectedIndex
      node.graph.builtRows += 1
      node.child(RowView { list.row(element, isSelected) }, id: id)
    }
  }

  private func visibleRange() -> Range<Int> {
    guard height > 0 else { return 0..<0 }
    let first = max(0, offset - 1)
    return first..<max(first, min(ids.count, offset + pageRows + 1))
  }

  private func scrollToSelection() {
    let last = max(0, ids.count - pageRows)
    if let selectedIndex {
      if selectedIndex < offset { offset = selectedIndex }
      let lowest = selectedIndex + min(max(0, list?.rowsBelow ?? 0), pageRows - 1)
      if lowest >= offset + pageRows { offset = lowest - pageRows + 1 }
      // The first selectable row shows the headings above it.
      if !(0..<selectedIndex).contains(where: isSelectable), selectedIndex < pageRows { offset = 0 }
    }
    offset = min(max(0, offset), last)
  }

  // MARK: Layout

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    height = rect.height
    top = rect.minY
    scrollToSelection()
    if visibleRange() != built {
      node.rebuild {
        node.observe { _ = self.list?.selection.wrappedValue }
        self.buildRows(node, besides: { _ in true })
      }
    }
    for (position, index) in built.enumerated() where position < node.children.count {
      node.children[position].place(
        in: Rect(
          x: rect.minX, y: rect.minY + (index - offset) * rowHeight, width: rect.width,
          height: rowHeight))
    }
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    var isParked = !canvas.isPlain
    for (position, index) in built.enumerated() where position < node.children.count {
      let row = node.children[position]
      if index == selectedIndex {
        let canvas = canvas.styled(.selection)
        canvas.fill(row.frame)
        row.draw(canvas)
        if list?.isActive == true { canvas.setCursor(row.frame.origin, isVisible: canvas.isPlain) }
      } else {
        // With nothing selected a reader begins at the first row that can be.
        if selectedIndex == nil, !isParked, list?.isActive == true, isSelectable(index) {
          isParked = true
          canvas.setCursor(row.frame.origin, isVisible: true, isGuess: true)
        }
        row.draw(canvas)
      }
    }
  }

  // MARK: Moving

  var movements: [ActionHandler] {
    let moves: [(ActionID, @MainActor (ListState) -> Void)] = [
      (.moveDown, { $0.move(by: 1) }), (.moveUp, { $0.move(by: -1) }),
      (.moveFirst, { $0.move(by: -$0.ids.count) }), (.moveLast, { $0.move(by: $0.ids.count) }),
      (.halfPageDown, { $0.move(by: max(1, $0.pageRows / 2)) }),
      (.halfPageUp, { $0.move(by: -max(1, $0.pageRows / 2)) }),
      (.pageDown, { $0.move(by: $0.pageRows) }), (.pageUp, { $0.move(by: -$0.pageRows) }),
    ]
    return moves.map { id, move in
      ActionHandler(id: id, disabledReason: nil, isGlobal: false) { move(self) }
    }
  }

  func move(by distance: Int) {
    guard !ids.isEmpty else { return }
    let forward = distance > 0
    let start = selectedIndex ?? (forward ? -1 : ids.count)
    var target = min(max(0, start + distance), ids.count - 1)
    let step = forward ? 1 : -1
    while ids.indices.contains(target), !isSelectable(target) { target += step }
    if !ids.indices.contains(target) {
      target = forward ? ids.count - 1 : 0
      while ids.indices.contains(target), !isSelectable(target) { target -= step }
    }
    if ids.indices.contains(target) { select(target) }
  }

  private func select(_ index: Int) {
    guard index != selectedIndex else { return }
    movedTo = index
    list?.selection.wrappedValue = ids[index]
  }

  func handle(_ event: MouseEvent) -> Bool {
    switch event.kind {
    case .wheelDown: move(by: 3)
    case .wheelUp: move(by: -3)
    case .press where event.button == 0:
      let index = offset + (event.position.y - top) / rowHeight
      guard isSelectable(index) else { return false }
      select(index)
    default: return false
    }
    return true
  }
}

/// A row takes the whole width, whatever is in it.
struct RowView<Content: View>: PrimitiveView, WrappingLayout {
  let content: @MainActor () -> Content

  init(_ content: @escaping @MainActor () -> Content) { self.content = content }

  func update(_ node: Node) {
    node.layout = self
    node.child(node.observe(content))
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }
  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }
}
