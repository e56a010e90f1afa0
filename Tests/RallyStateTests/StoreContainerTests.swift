import Testing

@testable import RallyState

private struct NoteReducer: Reducer {
  struct State: Identifiable {
    let id: Int
    var text = ""
  }

  struct Environment: Sendable { let author: String }

  func reduce(store: Store<Self>, request: String) async {
    modifyValue(store: store, \.text) { $0 += request }
  }
}

private struct SwitchReducer: Reducer {
  typealias Environment = Void

  func reduce(store: Store<Self>, request: Bool) async {
    modifyValue(store: store, \.self) { $0 = request }
  }

  typealias State = Bool
}

@MainActor
struct StoreContainerTests {
  private struct Root: Sendable { let author: String }

  private let container = StoreContainer(environment: Root(author: "ana"))

  private func note(_ id: Int) -> Store<NoteReducer> {
    container.store(state: NoteReducer.State(id: id)) { NoteReducer.Environment(author: $0.author) }
  }

  @Test func `a draft that was closed is found again as it was left`() async {
    await note(1).send("begun")
    #expect(note(1).text == "begun")
    #expect(note(1).environment.author == "ana")
  }

  @Test func `every identity has a store of its own`() async {
    await note(1).send("one")
    #expect(note(2).text == "")
    #expect(container.stores(of: NoteReducer.self).count == 2)
  }

  @Test func `a removed draft begins anew, and its store goes away`() async {
    weak let reference = note(1)
    await note(1).send("one")
    container.remove(NoteReducer.self, id: 1)
    #expect(reference == nil)
    #expect(note(1).text == "")
  }

  @Test func `there is one store of a type that has no identity`() async {
    func light() -> Store<SwitchReducer> {
      container.store(type: SwitchReducer.self, state: false)
    }
    await light().send(true)
    #expect(light().state)
    container.remove(SwitchReducer.self)
    #expect(!light().state)
  }
}
