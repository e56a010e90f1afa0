import Foundation
import Observation
import RallyEnvironment
import RallyTestSupport
import Testing

@testable import TerminalKit

private struct GreetingKey: EnvironmentKey {
  static let defaultValue = "default"
}

extension EnvironmentValues {
  fileprivate var greeting: String {
    get { self[GreetingKey.self] }
    set { self[GreetingKey.self] = newValue }
  }
}

private struct Greeting: View {
  @Environment(\.greeting) private var greeting

  var body: some View { Text(greeting) }
}

private struct Counter: View {
  let name: String
  @State private var count = 0

  var body: some View {
    Text("\(name) \(count)").onAction("count") { count += 1 }
  }
}

@MainActor @Observable private final class Log {
  var id = 1
  var isShown = true
  @ObservationIgnored var lines: [String] = []
}

private let countTable = ActionTable([
  Action(id: "count", title: "count", summary: "Count.", keys: ["c"], section: "Test"),
  Action(id: "other", title: "other", summary: "Other.", keys: ["o"], section: "Test"),
])

@MainActor @Suite struct StateTests {
  @Test func `a view's state survives as long as its identity`() async {
    let model = PeopleModel(count: 2)
    struct Root: View {
      let model: PeopleModel
      var body: some View {
        VStack {
          ForEach(model.people) { Counter(name: $0.name) }
        }
      }
    }
    let screen = TestScreen(table: countTable, root: Root(model: model))
    screen.press("c c")
    #expect(screen.text == "Person 0 0\nPerson 1 2")

    model.people.reverse()
    await screen.waitUntilIdle()
    #expect(screen.text == "Person 1 2\nPerson 0 0")

    model.people.removeFirst()
    await screen.waitUntilIdle()
    model.people.append(Person(id: 1, name: "Person 1"))
    await screen.waitUntilIdle()
    #expect(screen.text == "Person 0 0\nPerson 1 0")
  }

  @Test func `a dependency is its default, or what a view above supplied`() {
    let screen = TestScreen(
      root: VStack {
        Greeting()
        Greeting().environment(\.greeting, "supplied")
        Greeting()
      })
    #expect(screen.text == "default\nsupplied\ndefault")
  }

  @Test func `a change runs the body that read it and no other`() async {
    struct Outer: View {
      let model: PeopleModel
      let runs: BodyRuns
      var body: some View {
        runs.outer += 1
        return VStack { CountedNumber(model: model, runs: runs) }
      }
    }
    let model = PeopleModel()
    let runs = BodyRuns()
    let screen = TestScreen(root: Outer(model: model, runs: runs))

    model.number = 1
    model.number = 2
    await screen.waitUntilIdle()

    #expect(screen.text == "2")
    #expect(runs.outer == 1)
    #expect(runs.inner == 2)
  }

  @Test func `a content stays as it is while the view around it runs again`() async {
    struct Inner: View {
      let runs: BodyRuns
      @Environment(\.greeting) private var greeting
      var body: some View {
        runs.inner += 1
        return Text(greeting)
      }
    }
    struct Outer: View {
      let content: AnyView
      let model: PeopleModel
      let runs: BodyRuns
      var body: some View {
        runs.outer += 1
        return content.environment(\.greeting, model.text)
      }
    }
    struct Root: View {
      let model: PeopleModel
      let runs: BodyRuns
      var body: some View {
        Outer(
          content: AnyView(Watched(content: AnyView(Inner(runs: runs)), model: model)),
          model: model, runs: runs)
      }
    }
    struct Watched: View {
      let content: AnyView
      let model: PeopleModel
      var body: some View { content.onChange(of: model.selected) { _, _ in } }
    }
    let model = PeopleModel()
    let runs = BodyRuns()
    let screen = TestScreen(root: Root(model: model, runs: runs))
    #expect(runs.inner == 1)

    model.selected = 1
    await screen.waitUntilIdle()
    #expect((runs.outer, runs.inner) == (1, 1))

    // Another environment reaches it.
    model.text = "good morning"
    await screen.waitUntilIdle()
    #expect((runs.outer, runs.inner) == (2, 2))
    #expect(screen.text == "good morning")
  }

  @Test func `a kept view runs again for another value only`() async {
    struct Inner: View {
      let text: String
      let runs: BodyRuns
      var body: some View {
        runs.inner += 1
        return Text(text)
      }
    }
    struct Outer: View {
      let model: PeopleModel
      let runs: BodyRuns
      @State private var kept = KeptView<String>()
      var body: some View {
        runs.outer += 1
        return VStack {
          Text("\(model.number)")
          kept.view(of: model.text) { Inner(text: $0, runs: runs) }
        }
      }
    }
    let model = PeopleModel()
    let runs = BodyRuns()
    let screen = TestScreen(root: Outer(model: model, runs: runs))
    model.number = 1
    await screen.waitUntilIdle()
    #expect((runs.outer, runs.inner) == (2, 1))
    #expect(screen.text == "1")

    model.text = "good morning"
    await screen.waitUntilIdle()
    #expect((runs.outer, runs.inner) == (3, 2))
    #expect(screen.text == "1\ngood morning")
  }

  @Test func `an empty view needs no node`() {
    func nodes(_ root: some View) -> Int { TestScreen(root: root).graph.nodeCount }
    let text = Text("one")
    let alone = nodes(VStack { text })
    #expect(
      nodes(
        VStack {
          EmptyView()
          text
        }) == alone)
  }

  @Test func `a body that reads the terminal's size follows it, others only lay out`() {
    struct Measured: View {
      @Environment(\.terminalSize) private var size
      var body: some View { Text("\(size.width)x\(size.height)") }
    }
    let screen = TestScreen(root: Measured())
    #expect(screen.text == "80x24")
    screen.resize(to: Size(width: 60, height: 16))
    #expect(screen.text == "60x16")
  }

  @Test func `work of a view is cancelled with its identity, and anew for another id`() async {
    struct Root: View {
      let log: Log
      var body: some View {
        if log.isShown {
          Text("working").task(id: log.id) {
            let id = log.id
            log.lines.append("start \(id)")
            try? await Task.sleep(for: .seconds(3600))
            log.lines.append("end \(id) \(Task.isCancelled)")
          }
        }
      }
    }
    let log = Log()
    let screen = TestScreen(root: Root(log: log))
    await screen.waitUntil { log.lines == ["start 1"] }

    log.id = 2
    await screen.waitUntil { Set(log.lines) == ["start 1", "end 1 true", "start 2"] }

    log.isShown = false
    await screen.waitUntil { log.lines.last == "end 2 true" }
    #expect(screen.text == "")
  }

  @Test func `work of a view starts anew for an id of another type`() async {
    struct Root: View {
      let log: Log
      var body: some View { log.id == 1 ? work(id: 1) : work(id: "two") }

      private func work(id: some Equatable) -> AnyView {
        AnyView(Text("working").task(id: id) { log.lines.append("start \(id)") })
      }
    }
    let log = Log()
    let screen = TestScreen(root: Root(log: log))
    await screen.waitUntil { log.lines == ["start 1"] }

    log.id = 2
    await screen.waitUntil { log.lines == ["start 1", "start two"] }
    #expect(screen.text == "working")
  }

  @Test func `a change of a value is told with what it was before`() async {
    @MainActor final class Changes { var lines: [String] = [] }
    struct Root: View {
      let model: PeopleModel
      let changes: Changes
      var body: some View {
        Text("\(model.number)").onChange(of: model.number) { old, new in
          changes.lines.append("\(old) to \(new)")
        }
      }
    }
    let model = PeopleModel()
    let changes = Changes()
    let screen = TestScreen(root: Root(model: model, changes: changes))
    model.number = 4
    await screen.waitUntilIdle()
    model.number = 4
    await screen.waitUntilIdle()
    #expect(changes.lines == ["0 to 4"])
  }

  @Test func `each of several values tells its own changes, and none its first value`() async {
    @MainActor final class Changes { var lines: [String] = [] }
    struct Root: View {
      let model: PeopleModel
      let changes: Changes
      var body: some View {
        Text("\(model.number)").onChanges(
          ChangeObserver(model.number) { changes.lines.append("number \($0) to \($1)") },
          // An optional that is there from the start is no change.
          ChangeObserver(Optional(model.text)) {
            changes.lines.append("text \($0 ?? "") to \($1 ?? "")")
          })
      }
    }
    let model = PeopleModel()
    model.text = "ana"
    let changes = Changes()
    let screen = TestScreen(root: Root(model: model, changes: changes))
    await screen.waitUntilIdle()
    #expect(changes.lines == [])
    model.text = "ben"
    await screen.waitUntilIdle()
    model.number = 4
    await screen.waitUntilIdle()
    #expect(changes.lines == ["text ana to ben", "number 0 to 4"])
  }

  @Test func `frames and bodies without end leave no registrations behind`() async {
    struct Root: View {
      let model: PeopleModel
      @Environment(\.terminalSize) private var size
      var body: some View {
        VStack {
          Text("\(model.text) \(size.width)")
          PeopleList(model: model)
        }
      }
    }
    let model = PeopleModel(count: 50)
    let graph = Graph(
      size: Size(width: 24, height: 4), table: ActionTable(Action.movement),
      root: Root(model: model))
    let buffer = CellBuffer(size: graph.size)
    func run(_ count: Int) {
      for index in 0..<count {
        if index % 10 == 0 { graph.resize(to: Size(width: 24 + index % 7, height: 4)) }
        if index % 25 == 0 { graph.handle(.key(.character(index % 50 == 0 ? "j" : "k"))) }
        graph.paint(into: buffer)
      }
    }
    let registrations = RegistrationCount()
    graph.registrationCount = registrations
    run(500)
    let nodes = graph.nodeCount
    let live = registrations.live
    #expect(live > 0)

    run(10_000)

    #expect(graph.nodeCount == nodes)
    #expect(registrations.live <= live + 50)
  }
}
