/// Mouse state between events: the click count, and the node that captured a pressed button.
@MainActor struct MouseTracking {
  typealias Instant = ContinuousClock.Instant

  /// Maximum time between the presses of a double click, as on most desktops.
  static let doubleClickTime: Duration = .milliseconds(400)

  private var last: (position: Point, button: Int, count: Int, time: Instant)?
  /// The node that consumed the press; it receives all events until the release, wherever the
  /// pointer is.
  private(set) var holder: Node?

  /// The click count of a press, 1 or 2; a third press counts as 1 again.
  mutating func count(_ press: MouseEvent, at now: Instant) -> Int {
    var count = 1
    if let last, last.count == 1, last.button == press.button,
      last.position.y == press.position.y, abs(last.position.x - press.position.x) <= 1,
      now - last.time <= Self.doubleClickTime
    {
      count = 2
    }
    last = (press.position, press.button, count, now)
    return count
  }

  mutating func hold(_ node: Node?) { holder = node }
}

extension Graph {
  /// Dispatches a mouse event to the node under the pointer, or to the one that captured the
  /// button.
  func handle(_ mouse: MouseEvent, at now: ContinuousClock.Instant) -> Bool {
    switch mouse.kind {
    case .press: return press(mouse, at: now)
    case .drag, .release:
      guard let holder = tracking.holder else { return false }
      if mouse.kind == .release { tracking.hold(nil) }
      // The pressed node may have been removed or covered by a modal.
      guard holder.isAlive, mouseNodes.contains(where: { $0 === holder }) else { return false }
      return holder.mouse?.handle(mouse) ?? false
    case .move, .wheelUp, .wheelDown: return offer(mouse) != nil
    }
  }

  private func press(_ mouse: MouseEvent, at now: ContinuousClock.Instant) -> Bool {
    var mouse = mouse
    mouse.clicks = tracking.count(mouse, at: now)
    tracking.hold(nil)
    guard let node = offer(mouse) else { return false }
    tracking.hold(node)
    if mouse.button == 0, mouse.clicks == 2, node.mouse?.opensOnDoubleClick == true {
      // Both presses may arrive in one read: apply the selection of the first one.
      update()
      handle(.key(KeyChord(.enter)), at: now)
    }
    return true
  }

  /// Offers the event to the nodes under the pointer, innermost first; returns the one that
  /// consumed it.
  private func offer(_ mouse: MouseEvent) -> Node? {
    mouseNodes.reversed().first {
      $0.frame.contains(mouse.position) && $0.mouse?.handle(mouse) == true
    }
  }
}
