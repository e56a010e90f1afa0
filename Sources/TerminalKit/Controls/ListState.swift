/// Identity of a `List` value.
final class ListIdentity {}

/// State that a list keeps across updates: scroll offset, selection and new rows.
@MainActor
final class ListState<Data: RandomAccessCollection, ID: Hashable, Row: View>:
  LayoutElement, MouseTarget, MovableSelection
{
  private var list: List<Data, ID, Row>?
  private var identity: ListIdentity?
  private var selectedID: ID?
  private var selectedIndex: Int?
  private(set) var offset = 0
  private var height = 0
  private var built = 0..<0
  private var frame = Rect.zero
  /// Index of the last selection made here, a hint that avoids a linear search.
  private var movedTo: Int?
  /// New rows above the visible ones, not seen yet.
  private(set) var arrivals: Set<ID> = []

  func shows(_ identity: ListIdentity) -> Bool { identity === self.identity }

  var count: Int { list?.count ?? 0 }

  /// Updates the selection when the list itself is unchanged.
  func moveSelection(to selected: ID?, in node: Node) {
    let former = selectedIndex
    selectedID = selected
    selectedIndex = selected.flatMap { list?.index(of: $0, near: movedTo ?? former) }
    guard let list, visibleRange() == built, node.keepChildren(ifThereAre: built.count) else {
      return buildRows(node)
    }
    for index in Set([former, selectedIndex].compactMap(\.self)) where built.contains(index) {
      guard let element = list.element(at: index) else { continue }
      node.updateKeptChild(
        index - built.lowerBound, to: row(element, at: index, of: list, in: node))
    }
  }

  private func row(
    _ element: Data.Element, at index: Int, of list: List<Data, ID, Row>, in node: Node
  ) -> RowView {
    let isSelected = index == selectedIndex
    node.graph.builtRows += 1
    return RowView { list.row(element, isSelected) }
  }

  func show(_ list: List<Data, ID, Row>, _ identity: ListIdentity, selected: ID?) {
    let former = self.list
    let formerIndex = selectedID == selected ? selectedIndex : nil
    let formerOffset = offset
    let isSameQuestion = former?.finding.question == list.finding.question
    self.list = list
    self.identity = identity
    selectedID = selected
    selectedIndex = selected.flatMap { list.index(of: $0, near: formerIndex ?? movedTo) }
    if let former {
      keepPlace(former, formerIndex, isSameQuestion)
      noteArrivals(former, formerOffset, isSameQuestion)
    }
    guard selected != nil, selectedIndex == nil, let formerIndex, let former else { return }
    let index =
      isSameQuestion
      ? neighbour(at: formerIndex, in: former) : (0..<list.count).first(where: isSelectable)
    guard let index, let id = list.rowID(at: index) else { return }
    selectedID = id
    selectedIndex = index
    let binding = list.selection
    // Written after the update pass, since a body must not write state.
    pendingSelection = { binding.wrappedValue = id }
  }

  private var pendingSelection: (@MainActor () -> Void)?

  // MARK: Rows that come and go

  /// Keeps visible rows in place when rows are inserted or removed above. Not when scrolled to the
  /// top: there new rows appear as they arrive.
  private func keepPlace(
    _ former: List<Data, ID, Row>, _ formerIndex: Int?, _ isSameQuestion: Bool
  ) {
    guard offset > 0 else { return }
    // Of two updates before a layout the second still has the first one's offset.
    let visible = min(offset, former.count)..<min(former.count, offset + pageRows)
    if let formerIndex, visible.contains(formerIndex), let selectedIndex {
      offset = max(0, offset + selectedIndex - formerIndex)
      return
    }
    guard isSameQuestion else {
      offset = 0
      return
    }
    for index in visible where former.isSelectable(at: index) {
      guard let id = former.rowID(at: index), let now = list?.index(of: id, near: index) else {
        continue
      }
      offset = max(0, offset + now - index)
      return
    }
  }

  /// Records rows above the visible ones that were not in the former list.
  private func noteArrivals(
    _ former: List<Data, ID, Row>, _ formerOffset: Int, _ isSameQuestion: Bool
  ) {
    guard let list, isSameQuestion, offset > 0 else { return arrivals = [] }
    let above = 0..<min(offset, list.count)
    // Fast path: unchanged rows need no set.
    let isUnchanged =
      offset == formerOffset
      && above.allSatisfy { former.rowID(at: $0) == list.rowID(at: $0) }
    if isUnchanged { return }
    var unknown: [ID: Int] = [:]
    for index in above { if let id = list.rowID(at: index) { unknown[id] = index } }
    let known = arrivals.filter { unknown[$0] != nil }
    for index in 0..<former.count {
      if unknown.isEmpty { break }
      if let id = former.rowID(at: index) { unknown[id] = nil }
    }
    arrivals = known.union(unknown.filter { isSelectable($0.value) }.keys)
  }

  /// Removes rows that are visible now from the new ones; at the top there are none.
  private func forgetSeenArrivals() {
    guard !arrivals.isEmpty else { return }
    guard offset > 0 else { return arrivals = [] }
    for index in min(offset, count)..<min(count, offset + pageRows) {
      if let id = list?.rowID(at: index) { arrivals.remove(id) }
    }
  }

  /// How many rows on either side of a removed row are considered as neighbours.
  private static var neighbourhood: Int { 200 }

  /// The row to select after the selected one was removed: the next surviving row below if
  /// selectable, else the nearest selectable one above, else the nearest by index.
  private func neighbour(at index: Int, in former: List<Data, ID, Row>) -> Int? {
    guard let list, count > 0 else { return nil }
    let below = (index + 1)..<max(index + 1, min(former.count, index + Self.neighbourhood))
    let above = max(0, index - Self.neighbourhood)..<min(index, former.count)
    let wanted = Set((Array(below) + Array(above)).compactMap { former.rowID(at: $0) })
    var positions: [ID: Int] = [:]
    for position in 0..<count {
      if positions.count == wanted.count { break }
      if let id = list.rowID(at: position), wanted.contains(id) { positions[id] = position }
    }
    for candidate in below {
      guard let position = former.rowID(at: candidate).flatMap({ positions[$0] }) else { continue }
      if isSelectable(position) { return position }
      break
    }
    for candidate in above.reversed() {
      if let position = former.rowID(at: candidate).flatMap({ positions[$0] }),
        isSelectable(position)
      {
        return position
      }
    }
    let start = min(index, count - 1)
    for distance in 0..<count {
      for position in [start + distance, start - distance]
      where position >= 0 && position < count && isSelectable(position) { return position }
    }
    return nil
  }

  private func isSelectable(_ index: Int) -> Bool { list?.isSelectable(at: index) ?? false }

  // MARK: Rows

  private var rowHeight: Int { list?.rowHeight ?? 1 }
  var pageRows: Int { max(1, height / rowHeight) }

  /// Builds the visible rows and one more on either side.
  ///
  /// - Parameter keepsKnown: Whether rows that were built before are kept as they are.
  func buildRows(_ node: Node, keepsKnown: Bool = false) {
    if let work = pendingSelection {
      pendingSelection = nil
      node.graph.afterUpdate(work)
    }
    guard let list else { return }
    let known = built
    built = visibleRange()
    for index in built {
      guard let element = list.element(at: index), let rowID = list.rowID(at: index) else {
        continue
      }
      let id = ChildID(rowID)
      if keepsKnown, known.contains(index), node.keepChild(RowView.self, id: id) != nil { continue }
      node.child(row(element, at: index, of: list, in: node), id: id)
    }
  }

  private func visibleRange() -> Range<Int> {
    guard height > 0 else { return 0..<0 }
    let first = min(max(0, offset - 1), count)
    return first..<max(first, min(count, offset + pageRows + 1))
  }

  private func scrollToSelection() {
    let last = max(0, count - pageRows)
    if selectedIndex == nil, let list, let initial = list.placement.initial,
      let index = list.index(of: initial, near: nil)
    {
      offset = max(0, index - 1)
    }
    if let selectedIndex {
      if selectedIndex < offset { offset = selectedIndex }
      let lowest = selectedIndex + min(max(0, list?.rowsBelow ?? 0), pageRows - 1)
      if lowest >= offset + pageRows { offset = lowest - pageRows + 1 }
      // When the first selectable row is selected, scroll to the headings above it.
      if selectedIndex < pageRows, !(0..<selectedIndex).contains(where: isSelectable) { offset = 0 }
    }
    offset = min(max(0, offset), last)
  }

  // MARK: Layout

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    height = rect.height
    frame = rect
    scrollToSelection()
    bottomIndex = list.flatMap { list in
      list.placement.bottom.flatMap { list.index(of: $0, near: bottomIndex) }
    }
    forgetSeenArrivals()
    if visibleRange() != built {
      node.rebuild {
        node.observe { _ = self.list?.selection.wrappedValue }
        self.buildRows(node, keepsKnown: true)
      }
    }
    for (position, index) in built.enumerated() where position < node.children.count {
      node.children[position].place(
        in: Rect(
          x: rect.minX, y: rect.minY + (index - offset) * rowHeight + lowering(of: index),
          width: rect.width, height: rowHeight))
    }
    reportVisible(in: node)
  }

  /// The rows that were reported as visible, and of which list value.
  private var reported: (rows: Range<Int>, identity: ListIdentity)?

  private func reportVisible(in node: Node) {
    guard let identity, let onVisible = list?.placement.onVisible else { return }
    let visible = min(offset, count)..<min(count, offset + pageRows)
    guard reported?.rows != visible || reported?.identity !== identity else { return }
    reported = (visible, identity)
    node.graph.afterUpdate { onVisible(visible) }
  }

  /// The index of the first row that stands at the bottom.
  private var bottomIndex: Int?

  /// Cells that a row is lowered by, so that the last rows stand at the bottom.
  private func lowering(of index: Int) -> Int {
    guard let bottomIndex, index >= bottomIndex else { return 0 }
    return max(0, height - count * rowHeight)
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    var isParked = !canvas.isPlain
    for (position, index) in built.enumerated() where position < node.children.count {
      let row = node.children[position]
      if index == selectedIndex {
        let selected = canvas.styled(.selection)
        selected.fill(row.frame)
        row.draw(selected)
        // A focused text field owns the caret, except in plain mode, where a screen reader follows
        // the rows.
        if list?.isActive == true, canvas.isPlain || !canvas.hasCursor {
          canvas.setCursor(row.frame.origin, isVisible: canvas.isPlain)
        }
      } else {
        // Without a selection the cursor rests on the first selectable row.
        if selectedIndex == nil, !isParked, list?.isActive == true, isSelectable(index) {
          isParked = true
          canvas.setCursor(row.frame.origin, isVisible: true, isGuess: true)
        }
        row.draw(canvas)
      }
    }
    if let mark = newMark(node) {
      canvas.draw(mark.text, at: mark.origin, style: .accent.bold.reverse)
    }
  }

  /// The mark at the right of the first line while there are new rows above.
  private func newMark(_ node: Node) -> (text: String, origin: Point)? {
    guard let list, !arrivals.isEmpty else { return nil }
    var text = " ▲ \(list.finding.newWords(arrivals.count)) "
    if list.isActive { text += "\(node.environment.actions.table.way(to: ListActions.new.id)) " }
    text = text.truncated(toCells: frame.width)
    return (text, Point(x: frame.maxX - text.cellWidth, y: frame.minY))
  }

  // MARK: Moving

  func move(by distance: Int) {
    guard count > 0 else { return }
    let forward = distance > 0
    // With nothing selected, down begins at the first visible row and up at the last one.
    let start = selectedIndex ?? (forward ? offset - 1 : min(count, offset + pageRows))
    var target = min(max(0, start + distance), count - 1)
    let step = forward ? 1 : -1
    let all = 0..<count
    while all.contains(target), !isSelectable(target) { target += step }
    if !all.contains(target) {
      target = forward ? count - 1 : 0
      while all.contains(target), !isSelectable(target) { target -= step }
    }
    if all.contains(target) { select(target) }
  }

  /// Selects the nearest new row above, or the first row if there is none.
  func moveToNew() {
    guard let list, !arrivals.isEmpty,
      let index = (0..<min(offset, count)).last(where: { index in
        list.rowID(at: index).map(arrivals.contains) ?? false
      })
    else { return move(by: -count) }
    select(index)
  }

  private func select(_ index: Int) {
    guard index != selectedIndex, let list, let id = list.rowID(at: index) else { return }
    movedTo = index
    list.selection.wrappedValue = id
  }

  var opensOnDoubleClick: Bool { true }

  func handle(_ event: MouseEvent) -> Bool {
    switch event.kind {
    case .wheelDown: move(by: 3)
    case .wheelUp: move(by: -3)
    case .press where event.button == 0:
      guard let index = index(at: event.position), isSelectable(index) else { return false }
      select(index)
    case .drag where event.button == 0:
      // Dragging moves the selection; beyond an edge it scrolls.
      if event.position.y < frame.minY {
        move(by: -1)
      } else if event.position.y >= frame.maxY {
        move(by: 1)
      } else if let index = index(at: event.position), isSelectable(index) {
        select(index)
      }
    default: return false
    }
    return true
  }

  /// The index of the row at a point; nil when there is none.
  private func index(at point: Point) -> Int? {
    guard (frame.minY..<frame.maxY).contains(point.y) else { return nil }
    return (min(offset, count)..<min(count, offset + pageRows + 1)).first { index in
      let top = frame.minY + (index - offset) * rowHeight + lowering(of: index)
      return (top..<top + rowHeight).contains(point.y)
    }
  }
}
