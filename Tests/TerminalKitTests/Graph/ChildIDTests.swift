import RallyTestSupport
import Testing

@testable import TerminalKit

@Suite struct ChildIDTests {
  @Test func `different ways through builders differ, however long`() {
    var ids = [ChildID()]
    for _ in 0..<4 {
      ids = ids.flatMap { id in
        [id, id.branch(.first), id.branch(.second), id.view(0), id.view(62), id.view(63)]
      }
      ids = Array(Set(ids))
    }
    // 6 + 6² + … of ways, of which those that go nowhere are the same: all words of up to four of
    // five codes.
    #expect(ids.count == 1 + 5 + 25 + 125 + 625)
    let long = (0..<100).reduce(ChildID()) { id, _ in id.branch(.first) }
    #expect(Set([long, long.branch(.first), long.branch(.second), ChildID("a")]).count == 4)
    #expect((0..<100).reduce(ChildID()) { id, _ in id.branch(.first) } == long)
  }

  @MainActor @Test func `branches and views of a builder keep their state apart`() async {
    struct Named: View {
      let name: String
      @State private var first: String?
      var body: some View {
        Text("\(name) was \(first ?? "new")").task { first = first ?? name }
      }
    }
    struct Root: View {
      let model: PeopleModel
      var body: some View {
        VStack {
          if model.number > 0 { Named(name: "a\(model.number)") }
          Named(name: "b\(model.number)")
          if model.number < 2 {
            Named(name: "c\(model.number)")
          } else {
            Named(name: "d\(model.number)")
          }
        }
      }
    }
    let model = PeopleModel()
    let screen = TestScreen(root: Root(model: model))
    await screen.waitUntil { screen.text == "b0 was b0\nc0 was c0" }
    model.number = 1
    await screen.waitUntil { screen.text == "a1 was a1\nb1 was b0\nc1 was c0" }
    model.number = 2
    await screen.waitUntil { screen.text == "a2 was a1\nb2 was b0\nd2 was d2" }
  }
}
