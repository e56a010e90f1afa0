/// Divides space along an axis: the least flexible items are measured first, spacers get the rest.
struct StackLayout: LayoutElement {
  enum Axis { case horizontal, vertical }

  let axis: Axis
  let horizontal: HorizontalAlignment
  let vertical: VerticalAlignment
  let spacing: Int

  func measure(_ node: Node, _ proposal: Size) -> Size {
    let items = node.items
    let sizes = distribute(items, proposal)
    let length = sizes.reduce(0) { $0 + main($1) } + spacing * max(0, items.count - 1)
    let breadth = sizes.map(cross).max() ?? 0
    return size(length, breadth)
  }

  func place(_ node: Node, in rect: Rect) {
    let items = node.items
    let sizes = distribute(items, rect.size)
    var offset = 0
    for (item, wanted) in zip(items, sizes) {
      switch axis {
      case .horizontal:
        let slot = Rect(
          x: rect.minX + offset, y: rect.minY, width: wanted.width, height: rect.height)
        item.place(in: Alignment(.leading, vertical).place(wanted, in: slot))
      case .vertical:
        let slot = Rect(
          x: rect.minX, y: rect.minY + offset, width: rect.width, height: wanted.height)
        item.place(in: Alignment(horizontal, .top).place(wanted, in: slot))
      }
      offset += main(wanted) + spacing
    }
  }

  private func distribute(_ items: [Node], _ proposal: Size) -> [Size] {
    var sizes = Array(repeating: Size.zero, count: items.count)
    var available = max(0, main(proposal) - spacing * max(0, items.count - 1))
    let breadth = cross(proposal)
    let asked = ask(items, proposal)
    for (position, entry) in asked.enumerated() {
      var (peers, reserved, wanted) = (1, 0, entry.most)
      for later in asked[(position + 1)...] {
        if later.priority == entry.priority { peers += 1 } else { reserved += later.least }
        wanted += min(later.most, available + 1)
      }
      // If the remaining items all fit, do not limit any to an equal share.
      let share = wanted <= available ? entry.most : max(0, (available - reserved) / peers)
      if let least = items[entry.index].layout?.spacerLength {
        let length = max(least, max(0, available / peers))
        sizes[entry.index] = size(length, 0)
        available -= length
      } else {
        let chosen = items[entry.index].measure(size(share, breadth))
        sizes[entry.index] = chosen
        available -= main(chosen)
      }
      available = max(0, available)
    }
    return sizes
  }

  /// Measures the flexibility of all items; sorted by priority, then by flexibility.
  private func ask(_ items: [Node], _ proposal: Size) -> [Asked] {
    let breadth = cross(proposal)
    var asked: [Asked] = []
    asked.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      if let length = item.layout?.spacerLength {
        asked.append(
          Asked(
            index: index, priority: .min, least: length, most: length, flexibility: .max))
        continue
      }
      let least = main(item.measure(size(0, breadth)))
      let most = main(item.measure(size(main(proposal), breadth)))
      asked.append(
        Asked(
          index: index, priority: item.layout?.priority ?? 0, least: least, most: most,
          flexibility: max(0, most - least)))
    }
    asked.sort(by: Asked.isEarlier)
    return asked
  }

  private func main(_ size: Size) -> Int { axis == .horizontal ? size.width : size.height }
  private func cross(_ size: Size) -> Int { axis == .horizontal ? size.height : size.width }
  private func size(_ main: Int, _ cross: Int) -> Size {
    axis == .horizontal ? Size(width: main, height: cross) : Size(width: cross, height: main)
  }
}

/// Minimum, maximum and flexibility of one item along the stack's axis.
private struct Asked: Sendable {
  let index: Int
  let priority: Int
  let least: Int
  let most: Int
  let flexibility: Int

  nonisolated static func isEarlier(_ one: Asked, _ other: Asked) -> Bool {
    if one.priority != other.priority { return one.priority > other.priority }
    if one.flexibility != other.flexibility { return one.flexibility < other.flexibility }
    return one.index < other.index
  }
}

/// A vertical stack.
public struct VStack: PrimitiveView {
  let layout: StackLayout
  let content: AnyView

  public init<Content: View>(
    alignment: HorizontalAlignment = .leading, spacing: Int = 0,
    @ViewBuilder content: () -> Content
  ) {
    layout = StackLayout(
      axis: .vertical, horizontal: alignment, vertical: .top, spacing: spacing)
    self.content = AnyView(content())
  }

  public func update(_ node: Node) {
    node.layout = layout
    node.child(content)
  }
}

/// A horizontal stack.
public struct HStack: PrimitiveView {
  let layout: StackLayout
  let content: AnyView

  public init<Content: View>(
    alignment: VerticalAlignment = .top, spacing: Int = 0, @ViewBuilder content: () -> Content
  ) {
    layout = StackLayout(
      axis: .horizontal, horizontal: .leading, vertical: alignment, spacing: spacing)
    self.content = AnyView(content())
  }

  public func update(_ node: Node) {
    node.layout = layout
    node.child(content)
  }
}

/// Takes the remaining space in a stack.
public struct Spacer: PrimitiveView, LayoutElement {
  let minLength: Int
  public var spacerLength: Int? { minLength }

  public init(minLength: Int = 0) { self.minLength = minLength }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size { proposal }
}
