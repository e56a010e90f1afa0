import Foundation
import Observation
import RallyDomain
import RallyEnvironment
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

/// The mark of an objective fills when it is completed on the screen.
@Suite struct ObjectiveFillsTests {
  @Observable final class Shown {
    var mission = MissionSamples.lanterns
    var hasMotion = true
  }

  private struct Detail: View {
    let shown: Shown
    let viewState: MissionsViewState

    var body: some View {
      MissionDetail(
        mission: shown.mission, feed: MissionFeed(),
        viewModel: MissionSamples.viewModel { $0.hasMotion = shown.hasMotion }, width: 60,
        selection: Binding(viewState, \.row), messageDraft: viewState.messageDraft)
    }
  }

  private let shown = Shown()
  private let now = ContinuousClock.now

  /// What a frame shows of the blue door.
  private struct Frame: Equatable {
    var mark: String?
    /// The delay until the next frame that is asked for.
    var next: Duration?
  }

  private func graph(isPlain: Bool = false) -> Graph {
    var environment = EnvironmentValues()
    environment.isPlain = isPlain
    let graph = Graph(
      size: Size(width: 60, height: 20), table: .rally, environment: environment,
      root: Detail(shown: shown, viewState: MissionsViewState()))
    graph.isPlain = isPlain
    return graph
  }

  private func complete() {
    var record = shown.mission.record
    record.objectives[2].checkIns = record.objectives[2].count
    if let mission = Mission(record) { shown.mission = mission }
  }

  private func paint(_ graph: Graph, after delay: Duration = .zero) -> Frame {
    let buffer = CellBuffer(size: graph.size)
    let next = graph.paint(into: buffer, at: now + delay).nextFrame
    let row = ScreenPicture.lines(of: buffer).first { $0.contains("Blue door") }
    return Frame(
      mark: row.map { String($0.trimmingCharacters(in: .whitespaces).prefix(1)) }, next: next)
  }

  @Test func `it fills in five steps, and no frame is asked for after them`() {
    let graph = graph()
    #expect(paint(graph) == Frame(mark: "▸"))
    complete()
    for (number, sign) in ["○", "◔", "◑", "◕", "●"].enumerated() {
      let frame = paint(graph, after: .milliseconds(number * 100))
      #expect(frame == Frame(mark: sign, next: .milliseconds(100)))
    }
    #expect(paint(graph, after: .milliseconds(500)) == Frame(mark: "✓"))
  }

  @Test(arguments: [false, true])
  func `without motion, and for a reader of lists, it is done at once`(isPlain: Bool) {
    shown.hasMotion = isPlain
    let graph = graph(isPlain: isPlain)
    _ = paint(graph)
    complete()
    #expect(paint(graph) == Frame(mark: isPlain ? "d" : "✓"))
  }

  @Test func `what was done while another mission was looked at does not fill`() {
    let graph = graph()
    _ = paint(graph)
    let lanterns = shown.mission
    shown.mission = MissionSamples.finished
    #expect(paint(graph).next == nil)
    shown.mission = lanterns
    complete()
    #expect(paint(graph) == Frame(mark: "✓"))
  }

  @Test func `on a terminal of ASCII it fills as well`() {
    #expect(ObjectiveFills.signs.map(AsciiGlyphs.text) == ["o", "o", "O", "O", "*"])
  }
}
