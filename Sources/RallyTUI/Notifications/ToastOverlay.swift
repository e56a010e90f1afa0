import RallyDomain
import RallySystem
import TerminalKit

/// The current toast as a line or two of its own under the content; nothing when there is none.
public struct ToastOverlay: View {
  let toasts: Binding<ToastQueue>

  /// Lines of a toast; the list of messages has the whole of it.
  static let lineLimit = 2

  public init(_ toasts: Binding<ToastQueue>) { self.toasts = toasts }

  public var body: some View {
    let toast = toasts.wrappedValue.current
    Group {
      if let toast {
        HStack(spacing: 0) {
          Text(" \(toast.glyph) ", toast.style.bold).layoutPriority(1)
          Paragraph(toast.text, toast.style, lineLimit: Self.lineLimit)
            .frame(maxWidth: .max)
        }
        .style(.normal, fills: true)
        .onClick { toasts.wrappedValue.dismiss() }
      }
    }
    .task(id: toast?.id) {
      guard let deadline = toasts.wrappedValue.deadline else { return }
      guard (try? await DispatchSleep.until(deadline)) != nil else { return }
      toasts.wrappedValue.expire(at: .now)
    }
  }
}

/// The current toast over what covers the screen, where a sheet has neither its title nor its keys: on
/// a compact terminal over the row above the last one, where the highest sheet has its border; else over
/// the last row, and the one above it for a second line.
public struct CoveringToast: PrimitiveView, LayoutElement {
  let toasts: Binding<ToastQueue>

  public init(toasts: Binding<ToastQueue>) { self.toasts = toasts }

  public func update(_ node: Node) {
    node.layout = self
    node.isOverlay = true
    node.child(ToastOverlay(toasts))
  }

  public func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  public func place(_ node: Node, in rect: Rect) {
    let isCompact = rect.size.isCompact
    let room = Size(width: rect.width, height: isCompact ? 1 : ToastOverlay.lineLimit)
    for item in node.items {
      let height = item.measure(room).height
      item.place(
        in: Rect(
          x: rect.minX, y: max(rect.minY, rect.maxY - height - (isCompact ? 1 : 0)),
          width: rect.width, height: height))
    }
  }
}
