/// A virtualised list of rows of equal height, with a selection by id.
///
/// Only visible rows are built. The selection follows its item: when other items are inserted or
/// removed, it keeps its place on the screen. When the selected item is removed, the nearest
/// neighbour is selected. Items inserted above the visible rows are counted in a mark at the top.
/// Handles the movement actions of the action table while `isActive`.
public struct List<Data: RandomAccessCollection, ID: Hashable, Row: View>: PrimitiveView {
  let items: Data
  package let id: KeyPath<Data.Element, ID>
  let selection: Binding<ID?>
  let rowHeight: Int
  let rowsBelow: Int
  let placement: RowPlacement<ID>
  let isActive: Bool
  let finding: RowLookup<ID>
  let isSelectable: @MainActor (Data.Element) -> Bool
  let row: @MainActor (Data.Element, Bool) -> Row
  /// Identity of this list value, to distinguish a moved selection from a new list value.
  private let identity = ListIdentity()

  /// - Parameters:
  ///   - rowHeight: Height of each row in cells.
  ///   - rowsBelow: Number of rows below the selected one to keep visible, if there is room.
  ///   - placement: Where rows are while there is room to spare or nothing is selected.
  ///   - isActive: Whether this list handles movement keys and the cursor rests on its selection.
  ///   - finding: Index lookups for very long lists, and what counts as new rows.
  ///   - isSelectable: False for headings, which the selection skips.
  ///   - row: A pure function of the item and of whether it is selected. Rows must not own
  ///     `@State`: they are discarded when they leave the screen.
  public init(
    _ items: Data, id: KeyPath<Data.Element, ID>, selection: Binding<ID?>, rowHeight: Int = 1,
    rowsBelow: Int = 0, placement: RowPlacement<ID> = RowPlacement(), isActive: Bool = true,
    finding: RowLookup<ID> = RowLookup(),
    isSelectable: @escaping @MainActor (Data.Element) -> Bool = { _ in true },
    @ViewBuilder row: @escaping @MainActor (Data.Element, Bool) -> Row
  ) {
    self.items = items
    self.rowsBelow = rowsBelow
    self.placement = placement
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
    if state.shows(identity) { return state.moveSelection(to: selected, in: node) }
    state.show(self, identity, selected: selected)
    state.buildRows(node)
    node.actionHandlers = isActive ? ListActions.all.handlers(in: state) : []
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

  /// The index of a row; nil when it is not in the list.
  ///
  /// - Parameter likely: Its last known index, searched first: rows move little or not at all.
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

/// Index lookups for very long lists, and how new rows are counted.
public struct RowLookup<ID: Hashable> {
  /// The index of a row; nil searches all rows linearly.
  var position: (@MainActor (ID) -> Int?)?
  /// The id of a row by index, if it is available without building the element.
  package var id: (@MainActor (Int) -> ID)?
  /// Identity of the query: when it changes, the rows belong to another result and none counts as
  /// new.
  var question: AnyHashable
  /// Formats the number of new rows above: `3 new`.
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

/// Where the rows of a list are while there is room to spare or nothing is selected.
public struct RowPlacement<ID: Hashable> {
  /// The first of the rows that stand at the bottom of a list with room to spare; nil for none.
  var bottom: ID?
  /// The row that is in view, with the one above it, while nothing is selected; nil for the top.
  var initial: ID?
  /// Called with the indices of the visible rows after a layout.
  var onVisible: (@MainActor (Range<Int>) -> Void)?

  public init(
    bottom: ID? = nil, initial: ID? = nil, onVisible: (@MainActor (Range<Int>) -> Void)? = nil
  ) {
    self.bottom = bottom
    self.initial = initial
    self.onVisible = onVisible
  }
}

/// A list row; takes the whole proposed width.
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
}
