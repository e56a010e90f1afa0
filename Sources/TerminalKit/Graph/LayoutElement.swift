/// Layout and drawing of a node.
///
/// Containers propose sizes, children choose; a node may be placed smaller than its chosen size and
/// is clipped then. Layout and drawing are not observed.
@MainActor public protocol LayoutElement {
  /// The size chosen for a proposal. Called with 0 and with the maximum to find out the
  /// flexibility.
  func measure(_ node: Node, _ proposal: Size) -> Size
  func place(_ node: Node, in rect: Rect)
  func draw(_ node: Node, _ canvas: Canvas)
  /// Higher priority is given space first. Must not change during the lifetime of the view's
  /// identity.
  var priority: Int { get }
  /// The least length of a spacer; nil for what has a size of its own.
  var spacerLength: Int? { get }
}

extension LayoutElement {
  public var priority: Int { 0 }
  public var spacerLength: Int? { nil }

  public func place(_ node: Node, in rect: Rect) {}

  public func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items { item.draw(canvas) }
  }
}

/// Layout of a node with content inside; several views are stacked vertically.
@MainActor package protocol WrappingLayout: LayoutElement {}

extension WrappingLayout {
  package func measure(_ node: Node, _ proposal: Size) -> Size { measureContent(node, proposal) }
  package func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }

  var inner: StackLayout {
    StackLayout(axis: .vertical, horizontal: .leading, vertical: .top, spacing: 0)
  }

  package func measureContent(_ node: Node, _ proposal: Size) -> Size {
    let items = node.items
    return items.count == 1 ? items[0].measure(proposal) : inner.measure(node, proposal)
  }

  package func placeContent(_ node: Node, in rect: Rect) {
    let items = node.items
    if items.count == 1 { items[0].place(in: rect) } else { inner.place(node, in: rect) }
  }
}

/// A view that lays out its content itself.
@MainActor package protocol WrappingView: PrimitiveView, WrappingLayout {
  var content: AnyView { get }
}

extension WrappingView {
  package func update(_ node: Node) {
    node.layout = self
    node.child(content)
  }
}

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
    let measured = flexibilities(of: items, in: proposal)
    for (position, entry) in measured.enumerated() {
      var (peers, reserved, wanted) = (1, 0, entry.most)
      for later in measured[(position + 1)...] {
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
  private func flexibilities(of items: [Node], in proposal: Size) -> [Flexibility] {
    let breadth = cross(proposal)
    var measured: [Flexibility] = []
    measured.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      if let length = item.layout?.spacerLength {
        measured.append(
          Flexibility(index: index, priority: .min, least: length, most: length, flexibility: .max))
        continue
      }
      let least = main(item.measure(size(0, breadth)))
      let most = main(item.measure(size(main(proposal), breadth)))
      measured.append(
        Flexibility(
          index: index, priority: item.layout?.priority ?? 0, least: least, most: most,
          flexibility: max(0, most - least)))
    }
    measured.sort(by: Flexibility.isEarlier)
    return measured
  }

  private func main(_ size: Size) -> Int { axis == .horizontal ? size.width : size.height }
  private func cross(_ size: Size) -> Int { axis == .horizontal ? size.height : size.width }
  private func size(_ main: Int, _ cross: Int) -> Size {
    axis == .horizontal ? Size(width: main, height: cross) : Size(width: cross, height: main)
  }
}

/// Minimum, maximum and flexibility of one item along the stack's axis.
private struct Flexibility: Sendable {
  let index: Int
  let priority: Int
  let least: Int
  let most: Int
  let flexibility: Int

  nonisolated static func isEarlier(_ one: Flexibility, _ other: Flexibility) -> Bool {
    if one.priority != other.priority { return one.priority > other.priority }
    if one.flexibility != other.flexibility { return one.flexibility < other.flexibility }
    return one.index < other.index
  }
}

/// Cache of a node's measured sizes since the last full layout.
struct Measurements {
  struct Answer {
    let proposal: Size
    let size: Size
  }

  private var answers: [Answer] = []
  /// Sizes from before the content changed, by which the surroundings were laid out.
  private var outdated: [Answer] = []
  private var pass = -1

  mutating func size(for proposal: Size, in pass: Int) -> Size? {
    if pass != self.pass {
      self.pass = pass
      answers.removeAll(keepingCapacity: true)
      outdated.removeAll()
    }
    // A stack measures three times: linear search beats hashing.
    return answers.first { $0.proposal == proposal }?.size
  }

  mutating func add(_ size: Size, for proposal: Size) {
    answers.append(Answer(proposal: proposal, size: size))
  }

  /// Invalidates the cache after a content change; keeps the former sizes for comparison.
  mutating func outdate() {
    if outdated.isEmpty { outdated = answers }
    answers.removeAll(keepingCapacity: true)
  }

  /// Called when the node has been placed by its current sizes.
  mutating func commit() { outdated = [] }

  /// Returns and clears the sizes from before the content change, if they belong to this layout
  /// pass.
  mutating func takeOutdated(in pass: Int) -> [Answer] {
    defer { outdated = [] }
    return pass == self.pass ? outdated : []
  }
}
