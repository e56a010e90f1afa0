import Foundation
import RallyState
import RallyTestSupport
import TerminalKit
import TerminalState
import Testing

private struct DataReducer: Reducer {
  struct State {
    var data: LoadableValue<[Int], any Error> = .idle
    var isDarkMode: Bool?
    var username: String?
  }
  enum Request { case loadData }
  typealias Environment = Void
  func reduce(store: Store<Self>, request: Request) async {
    await load(store: store, keyPath: \.data) { _ in [1, 2] }
  }
}

/// The views of the document that the toolkit was made from, in its own words.
private struct DataView: View {
  let store: Store<DataReducer>
  let loaded: @MainActor (Date) -> Void

  var body: some View {
    VStack {
      if let data = store.data.value {
        ForEach(data, id: \.self) { item in
          Text("\(item)")
        }
      }
      TextField(text: store.binding(\.username, default: ""), isFocused: true) {}
    }
    .onIdle(of: store.data) {
      store.send(.loadData)
    }
    .onLoading(of: store.data) {}
    .onLoadingComplete(of: store.data) { success in
      loaded(success.timestamp)
    }
    .onFailure(of: store.data) { failure in
      Issue.record(failure.failure)
    }
    .onCancellation(of: store.data) { date in
      Issue.record("cancelled at \(date)")
    }
  }
}

@MainActor @Suite struct SeedExamplesTests {
  @Test func `a view loads what is idle, and binds what is typed`() async {
    let store = Store<DataReducer>(initialState: .init(), environment: ())
    var times: [Date] = []
    let screen = TestScreen(root: DataView(store: store) { times.append($0) })
    await screen.waitUntilIdle()
    #expect(store.data.value == [1, 2])
    #expect(times.count == 1)
    screen.type("ana")
    #expect(store.username == "ana")
    let darkMode = Binding(from: store, \.isDarkMode, default: false)
    darkMode.toggle()
    #expect(store.isDarkMode == true)
  }
}
