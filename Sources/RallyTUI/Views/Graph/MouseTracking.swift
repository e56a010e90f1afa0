/// What has to be remembered between two reports of the mouse: how often was clicked, and what a
/// held button belongs to.
@MainActor struct MouseTracking {
  typealias Instant = ContinuousClock.Instant

  /// Two presses in one place within this time are a double click, as most desktops have it.
  static let doubleClickTime: Duration = .milliseconds(400)

  private var last: (position: Point, button: Int, count: Int, time: Instant)?
  /// Whoever took the press: what follows until the release is theirs, wherever the pointer goes.
  private(set) var holder: Node?

  /// Says which one of how many clicks a press is; a third one begins anew.
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
  /// Hands an event of the mouse to what is under the pointer, or to what holds the button.
  func handle(_ mouse: MouseEvent, at now: ContinuousClock.Instant) -> Bool {
    switch mouse.kind {
    case .press: return press(mouse, at: now)
    case .drag, .release:
      guard let holder = tracking.holder else { return false }
      if mouse.kind == .release { tracking.hold(nil) }
      // What was pressed may be gone, or covered by a question.
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
      // What was selected by the first one has not been drawn yet in one burst.
      update()
      handle(.key(KeyChord(.enter)), at: now)
    }
    return true
  }

  /// The innermost one under the pointer that takes it.
  private func offer(_ mouse: MouseEvent) -> Node? {
    mouseNodes.reversed().first {
      $0.frame.contains(mouse.position) && $0.mouse?.handle(mouse) == true
    }
  }
}
