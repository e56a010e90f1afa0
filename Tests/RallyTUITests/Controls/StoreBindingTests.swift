import RallyDomain
import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

private struct LampReducer: Reducer {
  struct State {
    var label = ""
    var isLit = false
  }

  typealias Environment = Void

  func reduce(store: Store<Self>, request: Never) async {}
}

@MainActor @Suite struct StoreBindingTests {
  private let store = Store<LampReducer>(initialState: LampReducer.State(), environment: ())

  @Test func `what is typed into a field is in the draft, and what the draft says in the field`()
    async
  {
    struct Root: View {
      let store: Store<LampReducer>
      var body: some View { TextField(text: store.binding(\.label), isFocused: true) }
    }
    let screen = TestScreen(root: Root(store: store))
    screen.type("green")
    #expect(store.label == "green")
    store.setValue("red", at: \.label)
    await screen.waitUntilIdle()
    #expect(screen.text == "red")
  }

  @Test func `a toggle turns what it is bound to`() {
    let isLit = Binding(from: store, \.isLit)
    isLit.toggle()
    #expect(store.isLit)
    isLit.toggle()
    #expect(!store.isLit)
  }
}
