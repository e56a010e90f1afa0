/// Content that may be higher than its room: the part with the cursor is shown, and the movement
/// keys scroll where nothing inside takes them.
package struct OverflowView: PrimitiveView {
  let content: AnyView

  package init(content: AnyView) { self.content = content }

  public func update(_ node: Node) {
    let scroll = (node.storage as? VerticalScroll) ?? VerticalScroll(node)
    node.storage = scroll
    node.layout = scroll
    node.child(content)
    node.actionHandlers =
      scroll.overflows ? ListActions.all.handlers(in: scroll) : []
  }
}

extension View {
  /// Shows a part of this view where it is higher than its room.
  package func scrollsIfTooHigh() -> some View { OverflowView(content: AnyView(self)) }
}

/// Which rows of the content are in view.
@MainActor private final class VerticalScroll: WrappingLayout, MovableSelection {
  private(set) var overflows = false
  private var offset = 0
  private var height = 0
  private var room = 0
  /// The row of the cursor that was followed last; a page key may leave it.
  private var followed: Int?
  private unowned let node: Node

  /// Content that takes this many rows takes whatever it is given.
  private static let unlimited = 1000

  init(_ node: Node) { self.node = node }

  // MARK: Movement

  var count: Int { height }
  var pageRows: Int { max(1, room - 1) }

  func move(by distance: Int) {
    let target = min(max(0, offset + distance), max(0, height - room))
    guard target != offset else { return }
    offset = target
    node.invalidate()
  }

  func moveToNew() { move(by: -count) }

  // MARK: Layout

  private func naturalHeight(_ node: Node, width: Int) -> Int? {
    let height = measureContent(node, Size(width: width, height: Self.unlimited)).height
    return height < Self.unlimited ? height : nil
  }

  func measure(_ node: Node, _ proposal: Size) -> Size {
    let natural = measureContent(node, Size(width: proposal.width, height: Self.unlimited))
    guard natural.height < Self.unlimited else { return measureContent(node, proposal) }
    return Size(width: natural.width, height: min(natural.height, proposal.height))
  }

  func place(_ node: Node, in rect: Rect) {
    let natural = naturalHeight(node, width: rect.width) ?? rect.height
    room = rect.height
    height = max(natural, rect.height)
    offset = min(offset, height - room)
    placeContent(
      node, in: Rect(x: rect.minX, y: rect.minY - offset, width: rect.width, height: height))
    guard overflows != (height > room) else { return }
    overflows.toggle()
    // The keys come and go with the need to scroll.
    node.invalidate()
  }

  // MARK: Drawing

  func draw(_ node: Node, _ canvas: Canvas) {
    if overflows { followCursor(node, canvas) }
    for item in node.items { item.draw(canvas) }
    guard overflows, !canvas.isPlain else { return }
    let frame = node.frame
    if offset > 0 {
      canvas.draw("▲", at: Point(x: frame.maxX - 1, y: frame.minY), style: .accent)
    }
    if offset + room < height {
      canvas.draw("▼", at: Point(x: frame.maxX - 1, y: frame.maxY - 1), style: .accent)
    }
  }

  /// Scrolls to where the content puts the cursor, which is not known before it is drawn.
  private func followCursor(_ node: Node, _ canvas: Canvas) {
    let frame = node.frame
    let all = Rect(x: 0, y: 0, width: frame.width, height: height)
    let scratch = FrameContext(
      buffer: CellBuffer(size: all.size), now: canvas.now, isPlain: canvas.isPlain)
    placeContent(node, in: all)
    for item in node.items { item.draw(Canvas(frame: scratch, clip: all)) }
    if let row = scratch.cursor?.position.y, row != followed {
      followed = row
      if row < offset { offset = row }
      if row >= offset + room { offset = row - room + 1 }
    }
    placeContent(
      node, in: Rect(x: frame.minX, y: frame.minY - offset, width: frame.width, height: height))
  }
}

/// Rests the cursor on the content's first cell while `isParked`.
struct CursorAnchor: WrappingView {
  let content: AnyView
  let isParked: Bool

  func draw(_ node: Node, _ canvas: Canvas) {
    // The content, such as a text field, may move the cursor.
    if isParked { canvas.setCursor(node.frame.origin, isVisible: canvas.isPlain) }
    for item in node.items { item.draw(canvas) }
  }
}

extension View {
  /// Rests the cursor here, for screen readers and input methods.
  package func anchorsCursor(_ isParked: Bool = true) -> some View {
    CursorAnchor(content: AnyView(self), isParked: isParked)
  }
}
