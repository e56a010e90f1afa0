import RallyDomain
import RallyEnvironment
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct AgeClockTests {
  private final class Wall {
    var time = Samples.time
  }

  /// An age, and whether it is there at all.
  private struct Aged: View {
    let since: WireTime
    var isShown = true
    @Environment(\.ageClock) private var ageClock

    var body: some View {
      Text(isShown ? Age.shortByMinute(since, at: ageClock.now) : "nothing")
        .aging(if: isShown)
    }
  }

  private func paint(_ graph: Graph) -> (text: String, nextFrame: Duration?) {
    let buffer = CellBuffer(size: graph.size)
    let nextFrame = graph.paint(into: buffer).nextFrame
    return (ScreenPicture.lines(of: buffer).joined(), nextFrame)
  }

  private func graph(_ wall: Wall, _ root: some View) -> Graph {
    var environment = EnvironmentValues()
    environment.ageClock = AgeClock { wall.time }
    return Graph(
      size: Size(width: 10, height: 1), table: ActionTable([]), environment: environment,
      root: root)
  }

  @Test func `an age goes on when the minute changes, with one frame asked for at its end`() {
    let wall = Wall()
    wall.time = WireTime(microseconds: 1_767_322_980_000_000)  // the beginning of a minute
    let graph = graph(wall, Aged(since: wall.time))
    var frame = paint(graph)
    #expect(frame.text.contains("now"))
    #expect(frame.nextFrame == .seconds(60))
    wall.time = wall.time.advanced(by: .seconds(75))
    _ = paint(graph)
    frame = paint(graph)
    #expect(frame.text.contains("1m"))
    #expect(frame.nextFrame == .seconds(45))
  }

  @Test func `where nothing ages, or it is not seen, no frame is asked for`() {
    let wall = Wall()
    #expect(paint(graph(wall, Aged(since: wall.time, isShown: false))).nextFrame == nil)
    let hidden = graph(
      wall,
      UnderlayTabView(selection: .constant(true)) {
        UnderlayTab("", value: true) { Text("front") }
        UnderlayTab("", value: false) { Aged(since: wall.time) }
      })
    #expect(paint(hidden).nextFrame == nil)
  }
}
