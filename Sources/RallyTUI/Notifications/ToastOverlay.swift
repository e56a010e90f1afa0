import RallyDomain
import TerminalKit

/// The current toast as a line of its own over the content; nothing when there is none.
public struct ToastOverlay: View {
  let toasts: Binding<ToastQueue>

  public init(_ toasts: Binding<ToastQueue>) { self.toasts = toasts }

  public var body: some View {
    let toast = toasts.wrappedValue.current
    Group {
      if let toast {
        Line(Span(" \(toast.glyph) ", toast.style.bold), Span(toast.text, toast.style))
          .frame(maxWidth: .max).style(.normal, fills: true)
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

/// The current toast over what covers the screen, on its last line: a sheet may be as high as the
/// terminal, and what it answers must be seen.
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
    let line = Rect(x: rect.minX, y: max(rect.minY, rect.maxY - 1), width: rect.width, height: 1)
    for item in node.items { item.place(in: line) }
  }
}
