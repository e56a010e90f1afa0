import RallyDomain
import RallySystem
import TerminalKit

/// A line that comes up by itself.
public struct Toast: Hashable, Sendable, Identifiable {
  public enum Kind: Hashable, Sendable { case information, success, warning, failure }

  public var id: Int
  public var kind: Kind
  public var text: String
  /// Details for an error report, copied with the toast.
  public var details: String?
  /// What it is about, if one message after the other may be about the same.
  public var topic: String?
  /// Whether it is no longer so once the server is reached.
  public var untilReached = false
  public var shownAt: ContinuousClock.Instant

  /// Failures stay until they are dismissed.
  public var staysUntilDismissed: Bool { kind == .failure }

  public var glyph: String {
    switch kind {
    case .information: "·"
    case .success: "✓"
    case .warning: "▲"
    case .failure: "!"
    }
  }

  public var style: Style {
    switch kind {
    case .information: .normal
    case .success: .success
    case .warning: .warning
    case .failure: .danger
    }
  }
}

/// The toasts of a session: the newest is shown, all are kept.
///
/// A value that takes the time, so tests move the clock by hand.
public struct ToastQueue: Hashable, Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// How long a toast is shown that needs no answer.
  public static let lifetime: Duration = .seconds(4)
  /// How many are kept for `:messages`.
  public static let historyLimit = 500

  public private(set) var current: Toast?
  /// The oldest first.
  public private(set) var history: [Toast] = []
  private var nextID = 0

  public init() {}

  /// The last message that has details.
  public var lastDetailed: Toast? { history.last { $0.details != nil } }

  /// - Parameter topic: A message of the same topic right before this one is replaced by it.
  public mutating func show(
    _ text: String, kind: Toast.Kind = .information, details: String? = nil,
    topic: String? = nil, untilReached: Bool = false, at now: Instant
  ) {
    let toast = Toast(
      id: nextID, kind: kind, text: text, details: details, topic: topic,
      untilReached: untilReached, shownAt: now)
    nextID += 1
    current = toast
    if topic != nil, history.last?.topic == topic { history.removeLast() }
    history.append(toast)
    if history.count > Self.historyLimit { history.removeFirst() }
  }

  public mutating func dismiss() { current = nil }

  /// Takes away what said that the server was not reached.
  public mutating func serverReached() {
    if current?.untilReached == true { current = nil }
  }

  /// When the current toast leaves by itself.
  public var deadline: Instant? {
    guard let current, !current.staysUntilDismissed else { return nil }
    return current.shownAt.advanced(by: Self.lifetime)
  }

  public mutating func expire(at now: Instant) {
    if let deadline, now >= deadline { current = nil }
  }
}

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

/// The current toast over what covers the screen, where a sheet has neither its title nor its keys.
///
/// On a compact terminal that is the row above the last one, where the highest sheet has its
/// border. Else it is the last row, and the one above it for a second line.
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

/// What was said, in words alone.
enum EventFormatter {
  /// What comes within this time is said together.
  static let burst = Duration.seconds(1)

  /// - Parameter all: How everything that was said is reached.
  static func line(_ toasts: ToastQueue, all: String, width: Int) -> String {
    guard let current = toasts.current else { return "" }
    let earlier = toasts.history.reversed().drop { $0.id != current.id }
      .prefix { current.shownAt - $0.shownAt < burst }
    var sentences = earlier.reversed().map(sentence)
    var left = 0
    while true {
      let more = left == 0 ? [] : ["\(left) more in \(all)."]
      let line = (sentences + more).joined(separator: " ")
      if line.cellWidth <= width || sentences.count <= 1 { return line }
      sentences.removeFirst()
      left += 1
    }
  }

  /// `Failed: the server is not reached.`
  static func sentence(_ toast: Toast) -> String {
    switch toast.kind {
    case .information, .success: toast.text
    case .warning: "Note: \(toast.text)"
    case .failure: "Failed: \(toast.text)"
    }
  }
}
