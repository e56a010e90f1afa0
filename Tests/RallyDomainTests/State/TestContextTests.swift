import Foundation
import Synchronization
import Testing

@testable import RallyDomain

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

  @Test func `an answer that nobody waits for is reported and changes nothing`() {
    let store = makeStore()
    store.testContext?.makeValueForAwaitingKeypath(for: \.count, 3)
    #expect(store.count == 0)
    #expect(issues.all.count == 1)
  }
}
