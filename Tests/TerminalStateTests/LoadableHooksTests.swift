import Foundation
import Observation
import RallyState
import RallyTestSupport
import Testing

@testable import TerminalKit
@testable import TerminalState

@MainActor @Suite struct LoadableHooksTests {
  struct Refusal: Error { let reason: String }

  @MainActor @Observable final class Model {
    var answer: LoadableValue<Int, Refusal> = .idle
    var other = 0
    @ObservationIgnored var heard: [String] = []
  }

  private struct Root: View {
    let model: Model

    var body: some View {
      Text("\(model.other)")
        .onIdle(of: model.answer) { model.heard.append("idle") }
        .onLoading(of: model.answer) { model.heard.append("loading") }
        .onLoadingComplete(of: model.answer) { model.heard.append("loaded \($0.value)") }
        .onFailure(of: model.answer) { model.heard.append("failed \($0.failure.reason)") }
        .onCancellation(of: model.answer) { model.heard.append("cancelled \($0 == .distantPast)") }
    }
  }

  @Test func `each state is told once, the first one as well`() async {
    // given
    let model = Model()
    let screen = TestScreen(root: Root(model: model))
    await screen.waitUntilIdle()
    #expect(model.heard == ["idle"])
    // when
    let steps: [LoadableValue<Int, Refusal>] = [
      .loading, .failed(LoadingFailure(failure: Refusal(reason: "no"), timestamp: .now)),
      .loading, .loaded(LoadingSuccess(value: 7, timestamp: .now)), .cancelled(.distantPast),
    ]
    for step in steps {
      model.answer = step
      model.other += 1
      await screen.waitUntilIdle()
    }
    // then
    #expect(
      model.heard == ["idle", "loading", "failed no", "loading", "loaded 7", "cancelled true"])
    model.other += 1
    await screen.waitUntilIdle()
    #expect(model.heard.count == 6)
  }

  @Test func `a new answer after one that was there is told again`() async {
    let model = Model()
    model.answer = .loaded(LoadingSuccess(value: 1, timestamp: .distantPast))
    let screen = TestScreen(root: Root(model: model))
    model.answer = .loaded(LoadingSuccess(value: 2, timestamp: .now))
    await screen.waitUntilIdle()
    #expect(model.heard == ["loaded 1", "loaded 2"])
  }
}
