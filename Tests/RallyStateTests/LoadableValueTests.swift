import Foundation
import Testing

@testable import RallyState

struct LoadableValueTests {
  private enum Refusal: Error, Equatable { case closed }
  private typealias Answer = LoadableValue<[Int], Refusal>

  private let loaded = Answer.loaded(LoadingSuccess(value: [1, 2], timestamp: .distantPast))
  private let failed = Answer.failed(LoadingFailure(failure: .closed, timestamp: .distantPast))

  @Test func `only a loaded value has a value and only a failed one a failure`() {
    for state in [Answer.idle, .loading, .cancelled(.now)] {
      #expect(state.value == nil)
      #expect(state.failure == nil)
    }
    #expect(loaded.value == [1, 2])
    #expect(loaded.failure == nil)
    #expect(failed.value == nil)
    #expect(failed.failure == .closed)
  }

  @Test func `only loading is loading`() {
    #expect(Answer.loading.isLoading())
    for state in [Answer.idle, loaded, failed, .cancelled(.now)] { #expect(!state.isLoading()) }
  }

  @Test func `modifying changes a loaded value and keeps its time`() {
    var answer = loaded
    answer.modify { $0.append(3) }
    #expect(answer == .loaded(LoadingSuccess(value: [1, 2, 3], timestamp: .distantPast)))
  }

  @Test func `modifying what is not loaded does nothing`() {
    for state in [Answer.idle, .loading, failed] {
      var answer = state
      answer.modify { _ in Issue.record("there is nothing to modify") }
      #expect(answer == state)
    }
  }
}
