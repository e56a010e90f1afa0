import Foundation
import Observation
import Synchronization
import Testing

@testable import RallyState

/// A message of a feature of its own.
struct Counted: BroadcastMessage {
  let id = UUID()
  let name = "Counted"
  let originatingFrom: any StoreProtocol
  let count: Int
}

/// A reducer as small as one can be, with answers that the test holds back.
struct CounterReducer: Reducer {
  struct State {
    var count = 0
    var answer: LoadableValue<Int, any Error> = .idle
  }

  enum Request { case add(Int), ask, giveUp, tell }

  struct Environment: Sendable {
    var ask: @Sendable () async throws -> Int = { 42 }
    var studio = BroadcastStudio()
  }

  func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .add(let number): modifyValue(store: store, \.count) { $0 += number }
    case .ask: await load(store: store, keyPath: \.answer) { try await $0.ask() }
    case .giveUp: cancel(store: store, keyPath: \.answer)
    case .tell:
      withEnvironment(store: store, keyPath: \.studio) {
        broadcast(Counted(originatingFrom: store, count: store.count), through: $0)
      }
    }
  }
}

@MainActor
struct StoreTests {
  private func store(
    _ ask: @escaping @Sendable () async throws -> Int = { 42 }
  ) -> Store<CounterReducer> {
    Store(initialState: CounterReducer.State(), environment: .init(ask: ask))
  }

  @Test func `a request changes the state and the store reads like it`() async {
    let store = store()
    await store.send(.add(2))
    #expect(store.count == 2)
    #expect(store.state.count == 2)
  }

  @Test func `a request from where nothing can wait is carried out soon`() async throws {
    let store = store()
    let pressKey: () -> Void = { store.send(.add(3)) }
    pressKey()
    try await until { store.count == 3 }
  }

  @Test func `a written field is seen by whoever watches the store`() async {
    let store = store()
    await confirmation { noticed in
      withObservationTracking {
        _ = store.count
      } onChange: {
        noticed()
      }
      store.setValue(7, at: \.count)
    }
    #expect(store.count == 7)
  }

  // MARK: - Loading

  @Test func `a load goes from loading to loaded`() async throws {
    let gate = AsyncStream.makeStream(of: Int.self)
    let store = store {
      for await number in gate.stream { return number }
      throw CancellationError()
    }
    let asking = Task { await store.send(.ask) }
    try await until { store.answer.isLoading() }
    gate.continuation.yield(5)
    await asking.value
    #expect(store.answer.value == 5)
  }

  @Test func `a refused load keeps the failure`() async {
    struct Refusal: Error {}
    let store = store { throw Refusal() }
    await store.send(.ask)
    #expect(store.answer.failure is Refusal)
  }

  @Test func `giving up cancels the work and says so`() async throws {
    let store = store {
      try await Task.sleep(for: .seconds(600))
      return 1
    }
    let asking = Task { await store.send(.ask) }
    try await until { store.answer.isLoading() }
    await store.send(.giveUp)
    await asking.value
    guard case .cancelled = store.answer else {
      Issue.record("the answer is \(store.answer)")
      return
    }
  }

  @Test func `when the asking task ends, so does the work`() async throws {
    let store = store {
      try await Task.sleep(for: .seconds(600))
      return 1
    }
    let asking = Task { await store.send(.ask) }
    try await until { store.answer.isLoading() }
    asking.cancel()
    await asking.value
    #expect(!store.answer.isLoading())
    #expect(store.answer.value == nil)
  }

  @Test func `an older answer never overtakes a newer question`() async throws {
    let calls = Atomic(0)
    let first = AsyncStream.makeStream(of: Int.self)
    let store = store {
      // The first question does not hear that it was cancelled; its answer comes late.
      if calls.add(1, ordering: .relaxed).newValue == 1 {
        return await Task.detached {
          for await number in first.stream { return number }
          return 0
        }.value
      }
      return 2
    }
    let asking = Task { await store.send(.ask) }
    try await until { calls.load(ordering: .relaxed) == 1 }
    await store.send(.ask)
    #expect(store.answer.value == 2)
    first.continuation.yield(1)
    await asking.value
    #expect(store.answer.value == 2)
  }

  // MARK: - Broadcast

  @Test func `a broadcast reaches everybody who listens`() async {
    let store = store()
    var (all, counts) = (
      store.environment.studio.publisher.makeAsyncIterator(),
      store.environment.studio.messages(of: Counted.self).makeAsyncIterator()
    )
    await store.send(.add(3))
    await store.send(.tell)
    let message = await all.next()
    #expect(message?.name == "Counted")
    #expect(message?.originatingFrom === store)
    #expect(message?.origin == "Store<CounterReducer>")
    #expect(await counts.next()?.count == 3)
  }

  @Test func `a message reaches only those who follow its type`() async {
    struct Other: BroadcastMessage {
      let id = UUID()
      let name = "Other"
      let originatingFrom: any StoreProtocol
    }
    let (store, studio) = (store(), BroadcastStudio())
    var counts = studio.messages(of: Counted.self).makeAsyncIterator()
    studio.broadcast(Other(originatingFrom: store))
    studio.broadcast(Counted(originatingFrom: store, count: 5))
    #expect(await counts.next()?.count == 5)
  }
}
