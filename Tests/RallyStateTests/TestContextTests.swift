import Foundation
import Synchronization
import Testing

@testable import RallyState

@MainActor
struct TestContextTests {
  private final class Issues: Sendable {
    private let sentences = Mutex<[String]>([])
    var all: [String] { sentences.withLock { $0 } }
    func report(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
  }

  private let issues = Issues()

  private func makeStore() -> Store<CounterReducer> {
    Store(
      initialState: CounterReducer.State(),
      environment: .init(ask: {
        Issue.record("a held store must not do the work")
        return 0
      }),
      testContext: TestContext(issueHandler: issues.report))
  }

  @Test func `a held answer leaves the store loading until the test gives it`() async {
    let store = makeStore()
    await store.send(.ask)
    #expect(store.answer.isLoading())
    var seen: Int?
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.answer, .loaded(LoadingSuccess(value: 9, timestamp: .now))
    ) { state in
      seen = state.answer.value
    }
    #expect(seen == 9)
    #expect(store.answer.value == 9)
    #expect(issues.all.isEmpty)
  }

  @Test func `an answer that nobody gave is reported when the store goes`() async {
    var store: Store<CounterReducer>? = makeStore()
    await store?.send(.ask)
    #expect(issues.all.isEmpty)
    store = nil
    #expect(issues.all.count == 1)
    #expect(issues.all.first?.contains("Nobody answered") == true)
  }

  @Test func `a forgotten answer is not reported`() async {
    var store: Store<CounterReducer>? = makeStore()
    await store?.send(.ask)
    store?.testContext?.forget(keypath: \.answer)
    store = nil
    #expect(issues.all.isEmpty)
  }

  @Test func `a mapped load and a performed value are held as well`() async {
    let store = Store<HeldReducer>(
      initialState: HeldReducer.State(), environment: (),
      testContext: TestContext(issueHandler: issues.report))
    await store.send(.load)
    await store.send(.perform)
    #expect(store.length.isLoading())
    #expect(store.word == "before")
    #expect(store.testContext?.isAwaiting(\.word) == true)
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.length, .loaded(LoadingSuccess(value: 4, timestamp: .now)))
    store.testContext?.makeValueForAwaitingKeypath(for: \.word, "after") { state in
      #expect(state.word == "after")
    }
    #expect(store.length.value == 4)
    #expect(issues.all.isEmpty)
  }

  @Test func `a performed value that nobody gave is reported when the store goes`() async {
    var store: Store<HeldReducer>? = Store(
      initialState: HeldReducer.State(), environment: (),
      testContext: TestContext(issueHandler: issues.report))
    await store?.send(.perform)
    store = nil
    #expect(issues.all.count == 1)
  }

  @Test func `an answer that nobody waits for is reported and changes nothing`() {
    let store = makeStore()
    store.testContext?.makeValueForAwaitingKeypath(for: \.count, 3)
    #expect(store.count == 0)
    #expect(issues.all.count == 1)
  }
}

private struct HeldReducer: Reducer {
  struct State {
    var word = "before"
    var length: LoadableValue<Int, any Error> = .idle
  }

  enum Request { case load, perform }

  typealias Environment = Void

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .load:
      await load(store: store, keyPath: \.length, work: { _ in "work" }, map: \.count)
    case .perform: await perform(store: store, keyPath: \.word) { _ in "work" }
    }
  }
}
