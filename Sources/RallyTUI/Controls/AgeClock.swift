import Observation
import RallyDomain
import RallyEnvironment
import RallyWire
import TerminalKit

/// Lets the ages on the screen go on: one wake-up when the minute changes, and only while something
/// that ages is drawn.
@Observable
final class AgeClock {
  private static let length: Int64 = 60_000_000

  /// The minute that was drawn last, counted since 1970.
  private var drawnMinute: Int64
  @ObservationIgnored private let clock: () -> WireTime

  /// - Parameter clock: The wall clock.
  init(clock: @escaping () -> WireTime = { .now }) {
    self.clock = clock
    drawnMinute = clock().microseconds / Self.length
  }

  /// The time; a body that reads it runs again when the minute has changed and `aging` is drawn.
  var now: WireTime {
    _ = drawnMinute
    return clock()
  }

  /// The beginning of the minute that was drawn last: for pictures that are not made anew at every
  /// key.
  var minute: WireTime { WireTime(microseconds: drawnMinute * Self.length) }

  /// Notes that something that ages is drawn.
  ///
  /// - Returns: How long the present minute lasts yet.
  fileprivate func drawn() -> Duration {
    let time = clock().microseconds
    if time / Self.length != drawnMinute { drawnMinute = time / Self.length }
    return .microseconds(Self.length - time % Self.length)
  }
}

extension View {
  /// Has the clock of ages go on while this is drawn.
  ///
  /// - Parameter isAging: Whether it shows an age at all.
  func aging(if isAging: Bool = true) -> some View {
    AgingView(content: AnyView(self), isAging: isAging)
  }
}

private struct AgingView: WrappingView {
  let content: AnyView
  let isAging: Bool

  func measure(_ node: Node, _ proposal: Size) -> Size { measureContent(node, proposal) }

  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }

  func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items { item.draw(canvas) }
    if isAging { canvas.requestFrame(after: node.environment.ageClock.drawn()) }
  }
}

private struct AgeClockKey: EnvironmentKey {
  static let defaultValue = AgeClock()
}

extension EnvironmentValues {
  var ageClock: AgeClock {
    get { self[AgeClockKey.self] }
    set { self[AgeClockKey.self] = newValue }
  }
}
