import Foundation
import Observation
import Synchronization
import Testing

@testable import RallyState

/// Uses what `CounterReducer` does not: mapped loads, values in the background, subscriptions.
private struct WordReducer: Reducer {
  struct Refusal: Error, Equatable {}

  struct State {
    var word = "nothing"
    var length: LoadableValue<Int, Refusal> = .idle
    var heard: [Int] = []
  }

  enum Request: Sendable {
    case measure, refresh, say, double, ask, heard(Int)
  }

  struct Environment: Sendable {
    var word: @Sendable () async throws(Refusal) -> String = { "lantern" }
    var studio = BroadcastStudio()
  }

  func setupSubscriptions(store: Store<Self>) {
    subscribe(store: store, keypath: \.studio, stream: { $0.messages(of: Counted.self) }) {
      .heard($0.count)
    }
  }

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .measure:
      await load(
        store: store, keyPath: \.length,
        work: { environment throws(Refusal) in try await environment.word() }, map: \.count)
    case .refresh:
      await perform(store: store, keyPath: \.length) { environment throws(Refusal) in
        .loaded(LoadingSuccess(value: try await environment.word().count, timestamp: .now))
      }
    case .say:
      await perform(store: store, keyPath: \.word) { (try? await $0.word()) ?? "silence" }
    case .double: modifyLoadedValue(store: store, \.length) { $0 *= 2 }
    case .ask:
      let word = await withEnvironment(store: store, keyPath: \.word) { try? await $0() }
      modifyValue(store: store, \.word) { $0 = word ?? "none" }
    case .heard(let count): modifyValue(store: store, \.heard) { $0.append(count) }
    }
  }
}

@MainActor
struct ReducerTests {
  private func store(
    _ word: @escaping @Sendable () async throws(WordReducer.Refusal) -> String = { "lantern" }
  ) -> Store<WordReducer> {
    Store(initialState: WordReducer.State(), environment: .init(word: word))
  }

  @Test func `a mapped load keeps what was made of the answer`() async {
    let store = store()
    await store.send(.measure)
    #expect(store.length.value == 7)
  }

  @Test func `a refused mapped load keeps the failure`() async {
    let store = store { () throws(WordReducer.Refusal) in throw WordReducer.Refusal() }
    await store.send(.measure)
    #expect(store.length.failure == WordReducer.Refusal())
  }

  @Test func `a loaded value is changed in place, and nothing where there is none`() async {
    let store = store()
    await store.send(.double)
    #expect(store.length == .idle)
    await store.send(.measure)
    await store.send(.double)
    #expect(store.length.value == 14)
  }

  @Test func `what is performed leaves what was there until the answer comes`() async throws {
    let gate = AsyncStream.makeStream(of: String.self)
    let store = store { () async throws(WordReducer.Refusal) in
      for await word in gate.stream { return word }
      return ""
    }
    store.setValue(.loaded(LoadingSuccess(value: 1, timestamp: .now)), at: \.length)
    let asking = Task { await store.send(.refresh) }
    await Task.yield()
    #expect(store.length.value == 1)
    gate.continuation.yield("fog")
    await asking.value
    #expect(store.length.value == 3)
  }

  @Test func `what a performed answer throws is its failure`() async {
    let store = store { () throws(WordReducer.Refusal) in throw WordReducer.Refusal() }
    await store.send(.refresh)
    #expect(store.length.failure == WordReducer.Refusal())
  }

  @Test func `a later performed value takes over from an earlier one`() async throws {
    let calls = Atomic(0)
    let first = AsyncStream.makeStream(of: String.self)
    let store = store { () async throws(WordReducer.Refusal) in
      // The first one does not hear that it was cancelled.
      if calls.add(1, ordering: .relaxed).newValue == 1 {
        return await Task.detached {
          for await word in first.stream { return word }
          return ""
        }.value
      }
      return "second"
    }
    let asking = Task { await store.send(.say) }
    try await until { calls.load(ordering: .relaxed) == 1 }
    await store.send(.say)
    #expect(store.word == "second")
    first.continuation.yield("first")
    await asking.value
    #expect(store.word == "second")
  }

  @Test func `the environment can be waited for`() async {
    let store = store()
    await store.send(.ask)
    #expect(store.word == "lantern")
  }

  // MARK: - Subscriptions

  @Test func `what a dependency tells becomes requests, in order`() async throws {
    let store = store()
    store.environment.studio.broadcast(Counted(originatingFrom: store, count: 1))
    store.environment.studio.broadcast(Counted(originatingFrom: store, count: 2))
    try await until { store.heard.count == 2 }
    #expect(store.heard == [1, 2])
  }

  @Test func `a store that listens goes away, and its stream ends`() async throws {
    // given
    let ended = Atomic(false)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.onTermination = { _ in ended.store(true, ordering: .relaxed) }
    var store: Store<ListeningReducer>? = Store(
      initialState: 0, environment: .init(numbers: stream))
    weak let reference = store
    continuation.yield(3)
    try await until { reference?.state == 3 }
    // when
    store = nil
    // then
    try await until { reference == nil && ended.load(ordering: .relaxed) }
  }
}

private struct ListeningReducer: Reducer {
  typealias State = Int
  struct Environment: Sendable { let numbers: AsyncStream<Int> }

  func setupSubscriptions(store: Store<Self>) {
    subscribe(store: store, keypath: \.numbers, stream: { $0 }) { $0 }
  }

  func reduce(store: Store<Self>, request: Int) async {
    modifyValue(store: store, \.self) { $0 += request }
  }
}
