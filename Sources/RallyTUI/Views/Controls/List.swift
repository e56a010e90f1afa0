/// Rows of equal height of which only those on screen are built, and a selection by id.
///
/// The selection follows the item: when items come and go around it, it stays where it is on the
/// screen; when it goes itself, the nearest neighbour is selected. What comes above the rows that are
/// read is counted in a mark at the top. It handles the movement actions of the table while `isActive`.
public struct List<Data: RandomAccessCollection, ID: Hashable, Row: View>: PrimitiveView {
  let items: Data
  let id: KeyPath<Data.Element, ID>
  let selection: Binding<ID?>
  let rowHeight: Int
  let rowsBelow: Int
  let isActive: Bool
  let finding: RowFinding<ID>
  let isSelectable: @MainActor (Data.Element) -> Bool
  let highlight: (@MainActor (Data.Element) -> Int)?
  let row: @MainActor (Data.Element, Bool) -> Row
  /// Tells a list whose selection moved from a new one.
  private let edition = ListEdition()

  /// - Parameters:
  ///   - rowHeight: Cells of every row.
  ///   - rowsBelow: How many rows below the selected one are kept in view with it, as far as there is
  ///     room.
  ///   - isActive: Whether keys move this list's selection and the cursor parks on it.
  ///   - finding: How rows are found in a list of very many, and what is counted as new in it.
  ///   - isSelectable: False for headings, which the selection skips.
  ///   - highlight: How many cells of the selected row's first line are drawn as selected; nil draws
  ///     the whole row so. A few cost a slow line less than all when the selection moves.
  ///   - row: A pure function of the item and of whether it is selected. Rows own no `@State`:
  ///     they are forgotten when they leave the screen.
  public init(
    _ items: Data, id: KeyPath<Data.Element, ID>, selection: Binding<ID?>, rowHeight: Int = 1,
    rowsBelow: Int = 0, isActive: Bool = true, finding: RowFinding<ID> = RowFinding(),
    isSelectable: @escaping @MainActor (Data.Element) -> Bool = { _ in true },
    highlight: (@MainActor (Data.Element) -> Int)? = nil,
    @ViewBuilder row: @escaping @MainActor (Data.Element, Bool) -> Row
  ) {
    self.highlight = highlight
    self.items = items
    self.rowsBelow = rowsBelow
    self.id = id
    self.selection = selection
    self.rowHeight = max(1, rowHeight)
    self.isActive = isActive
    self.finding = finding
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

  var count: Int { items.count }

  func element(at index: Int) -> Data.Element? {
    guard index >= 0, index < items.count else { return nil }
    return items[items.index(items.startIndex, offsetBy: index)]
  }

  func rowID(at index: Int) -> ID? {
    guard let known = finding.id else { return element(at: index)?[keyPath: id] }
    return index >= 0 && index < items.count ? known(index) : nil
  }

  func isSelectable(at index: Int) -> Bool {
    guard let element = element(at: index) else { return false }
    return isSelectable(element)
  }

  /// Where a row stands; nil when it is not there.
  ///
  /// - Parameter likely: Where it stood last: rows move little or not at all.
  func index(of id: ID, near likely: Int?) -> Int? {
    if let likely {
      for distance in 0...16 {
        for index in [likely - distance, likely + distance]
        where index >= 0 && index < count && rowID(at: index) == id { return index }
      }
    }
    if let position = finding.position { return position(id) }
    return (0..<count).first { rowID(at: $0) == id }
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

/// How a list of very many rows finds one without making all of them, and what it counts as new.
public struct RowFinding<ID: Hashable> {
  /// Where a row stands; nil looks at every row.
  var position: (@MainActor (ID) -> Int?)?
  /// The id of a row, where it can be had without the row.
  var id: (@MainActor (Int) -> ID)?
  /// What was looked for: another question has other rows, none of which is new.
  var question: AnyHashable
  /// The words for so many rows that came above: `3 new`.
  var newWords: @MainActor (Int) -> String

  public init(
    question: AnyHashable = 0, position: (@MainActor (ID) -> Int?)? = nil,
    id: (@MainActor (Int) -> ID)? = nil,
    newWords: @escaping @MainActor (Int) -> String = { "\($0) new" }
  ) {
    self.question = question
    self.position = position
    self.id = id
    self.newWords = newWords
  }
}

/// A row takes the whole width, whatever is in it.
struct RowView: PrimitiveView, WrappingLayout {
  let content: @MainActor () -> AnyView

  init<Content: View>(_ content: @escaping @MainActor () -> Content) {
    self.content = { AnyView(content()) }
  }

  func update(_ node: Node) {
    node.layout = self
    node.child(node.observe(content))
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }
  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }
}
