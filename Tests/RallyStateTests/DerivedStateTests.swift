import Observation
import Synchronization
import Testing

@testable import RallyState

@MainActor
struct DerivedStateTests {
  @MainActor @Observable final class Basket {
    var apples: [String] = ["red"]
  }

  /// How often a box told its readers, after the first reading.
  @MainActor private final class Reader {
    private(set) var notices = 0

    func follow<Value>(_ box: DerivedState<Value>) {
      withObservationTracking {
        _ = box.value
      } onChange: { [weak self] in
        MainActor.assumeIsolated {
          self?.notices += 1
          Task { self?.follow(box) }
        }
      }
    }
  }

  @Test func `a box tells its readers when its value is another one, and only then`() async throws {
    // given
    let basket = Basket()
    let derived = Atomic(0)
    let box = DerivedState {
      derived.add(1, ordering: .relaxed)
      return basket.apples.count
    }
    let reader = Reader()
    reader.follow(box)
    // when: the list changes, its count does not
    basket.apples = ["green"]
    try await until { derived.load(ordering: .relaxed) == 2 }
    // then
    #expect(reader.notices == 0)
    basket.apples.append("yellow")
    try await until { box.value == 2 }
    #expect(reader.notices == 1)
  }

  @Test func `a box follows a part of a store`() async throws {
    let store = Store<CounterReducer>(initialState: .init(), environment: .init())
    let isOdd = DerivedState { store.count % 2 == 1 }
    let count = DerivedState { store.count }
    #expect(!isOdd.value)
    await store.send(.add(3))
    try await until { isOdd.value && count.value == 3 }
  }

  @Test func `a box that nobody keeps goes away`() async throws {
    let basket = Basket()
    var box: DerivedState<Int>? = DerivedState { basket.apples.count }
    weak let reference = box
    #expect(box?.value == 1)
    box = nil
    #expect(reference == nil)
    basket.apples = []
  }
}
