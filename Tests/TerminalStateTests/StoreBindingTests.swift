import RallyState
import RallyTestSupport
import Testing

@testable import TerminalKit
@testable import TerminalState

private struct LampReducer: Reducer {
  struct State {
    var label = ""
    var isLit = false
    var isDimmed: Bool?
    var colour: String?
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

  @Test func `what is missing reads as its default until it is written`() {
    let isDimmed = Binding(from: store, \.isDimmed, default: true)
    #expect(isDimmed.wrappedValue)
    #expect(store.isDimmed == nil)
    isDimmed.toggle()
    #expect(store.isDimmed == false)
    let colour = store.binding(\.colour, default: "white")
    #expect(colour.wrappedValue == "white")
    colour.wrappedValue = "red"
    #expect(store.colour == "red")
  }

  @Test func `a toggle turns what it is bound to`() {
    let isLit = Binding(from: store, \.isLit)
    isLit.toggle()
    #expect(store.isLit)
    isLit.toggle()
    #expect(!store.isLit)
  }
}
