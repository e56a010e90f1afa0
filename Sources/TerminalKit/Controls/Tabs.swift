/// A tab's title and badge count.
public struct TabItem<Value: Hashable>: Identifiable {
  public var value: Value
  public var title: String
  /// Shown as `·2`; nothing when 0.
  public var badge: Int

  public var id: Value { value }

  public init(_ title: String, value: Value, badge: Int = 0) {
    self.title = title
    self.value = value
    self.badge = badge
  }
}

extension TabItem {
  /// Cells of the title in a numbered bar, with what is around it.
  package var cells: Int { 4 + title.cellWidth + (badge > 0 ? 1 + "\(badge)".cellWidth : 0) }
}

/// A row of tab titles, the selected one between half blocks: ` 1 Map  ▐2 Missions·3▌`.
public struct TabBar<Value: Hashable>: View {
  let items: [TabItem<Value>]
  let selection: Value
  let isNumbered: Bool
  let onSelect: @MainActor (Value) -> Void
  @Environment(\.isPlain) private var isPlain

  /// - Parameter onSelect: Called with the clicked tab.
  public init(
    _ items: [TabItem<Value>], selection: Value, isNumbered: Bool = true,
    onSelect: @escaping @MainActor (Value) -> Void = { _ in }
  ) {
    self.items = items
    self.selection = selection
    self.isNumbered = isNumbered
    self.onSelect = onSelect
  }

  public var body: some View {
    if isPlain { Line(words) } else { ClickLine(parts) }
  }

  /// The plain-mode text: `3 Friends, 2 waiting, is open; 1 Map; 2 Missions`.
  private var words: [Span] {
    let named = items.enumerated().map { index, item in
      (isNumbered ? "\(index + 1) " : "") + item.title
        + (item.badge > 0 ? ", \(item.badge) waiting" : "")
    }
    return ListNames.words(named, chosen: items.firstIndex { $0.value == selection })
  }

  private var parts: [ClickLine.Part] {
    items.enumerated().map { index, item in
      let number = isNumbered ? "\(index + 1) " : ""
      let badge = item.badge > 0 ? "·\(item.badge)" : ""
      let title = number + item.title + badge
      let select: @MainActor () -> Void = { onSelect(item.value) }
      guard item.value == selection else {
        return ClickLine.Part(Span(" \(title) "), perform: select)
      }
      return ClickLine.Part(
        Span("▐", .accent), Span(title, .accent.bold.reverse), Span("▌", .accent), perform: select)
    }
  }
}

/// A tab of `UnderlayTabView`.
public struct UnderlayTab<Value: Hashable> {
  let title: String
  let value: Value
  let badge: Int
  let content: @MainActor () -> AnyView

  public init(
    _ title: String, value: Value, badge: Int = 0,
    @ViewBuilder content: @escaping @MainActor () -> some View
  ) {
    self.title = title
    self.value = value
    self.badge = badge
    self.content = { AnyView(content()) }
  }

  public var item: TabItem<Value> { TabItem(title, value: value, badge: badge) }
}

@resultBuilder @MainActor public enum UnderlayTabBuilder<Value: Hashable> {
  public static func buildBlock(_ tabs: UnderlayTab<Value>...) -> [UnderlayTab<Value>] { tabs }
}

/// Shows one tab and keeps the others alive underneath, with their state and tasks.
///
/// A tab is built when it is first selected.
public struct UnderlayTabView<Value: Hashable>: PrimitiveView {
  let selection: Binding<Value>
  let updatesHidden: Bool
  let tabs: [UnderlayTab<Value>]

  /// - Parameter updatesHidden: Whether a hidden tab is updated, for views in it that act on what
  ///   they observe; else it is when it is shown.
  public init(
    selection: Binding<Value>, updatesHidden: Bool = false,
    @UnderlayTabBuilder<Value> tabs: () -> [UnderlayTab<Value>]
  ) {
    self.selection = selection
    self.updatesHidden = updatesHidden
    self.tabs = tabs()
  }

  public func update(_ node: Node) {
    let seen = (node.storage as? SeenTabs<Value>) ?? SeenTabs()
    node.storage = seen
    node.layout = TabsLayout()
    let selected = node.observe { selection.wrappedValue }
    seen.values.insert(selected)
    for (index, tab) in tabs.enumerated() where seen.values.contains(tab.value) {
      let isSelected = tab.value == selected
      let id = ChildID().view(index)
      let child =
        isSelected || updatesHidden
        ? node.updateChild(TabContent(content: node.observe { tab.content() }), id: id)
        : node.keepChild(TabContent.self, id: id)
      child?.updatesHidden = updatesHidden
      child?.isVisible = isSelected
    }
  }
}

@MainActor private final class SeenTabs<Value: Hashable> {
  var values: Set<Value> = []
}

private struct TabContent: WrappingView {
  let content: AnyView
}

private struct TabsLayout: LayoutElement {
  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    for item in node.items where item.isVisible { item.place(in: rect) }
  }
}

/// A row of list names with the selected one underlined. In plain mode the selected name comes
/// first, marked as open.
package struct ListNames: View {
  let titles: [String]
  let chosen: Int?
  /// Called with the index of the clicked name.
  let onSelect: @MainActor (Int) -> Void
  @Environment(\.isPlain) private var isPlain

  package init(
    titles: [String], chosen: Int?, onSelect: @escaping @MainActor (Int) -> Void = { _ in }
  ) {
    self.titles = titles
    self.chosen = chosen
    self.onSelect = onSelect
  }

  package var body: some View {
    if isPlain {
      Line(Self.words(titles, chosen: chosen))
    } else {
      ClickLine(
        [ClickLine.Part(Span(" "))]
          + titles.enumerated().map { index, title in
            ClickLine.Part(Span(" \(title) ", index == chosen ? .accent.underline : .dim)) {
              onSelect(index)
            }
          })
    }
  }

  /// The plain-mode text: `All 8 is open; In 0; Out 1`.
  static func words(_ titles: [String], chosen: Int?) -> [Span] {
    let others = titles.enumerated().filter { $0.offset != chosen }.map(\.element)
    let first = chosen.map { ["\(titles[$0]) is open"] } ?? []
    return [Span((first + others).joined(separator: "; "))]
  }
}
