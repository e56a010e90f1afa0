import RallyTestSupport
import Testing

@testable import TerminalKit

private let table = ActionTable([
  Action(
    id: "accept", title: "accept", summary: "Accept the request.", keys: ["a", "g a"],
    section: "Friends"),
  Action(
    id: "remove", title: "remove", summary: "Remove the friend.", keys: ["x"], section: "Friends"),
  Action(
    id: "decline", title: "decline", summary: "Decline the request.", keys: ["x"],
    section: "Friends"),
  Action(id: "go", title: "go", summary: "Go to anything.", keys: ["^K"], section: "All"),
  Action(id: "back", title: "back", summary: "One step back.", keys: ["Esc"], section: "All"),
  Action(id: "cancel", title: "cancel", summary: "Cancel.", keys: ["^C"], section: "All"),
])

/// Asks a question over what is below; notes where a request was accepted.
private struct Asking<Below: View>: View {
  let log: PeopleModel
  let below: Below
  @State private var question: String?

  var body: some View {
    below
      .onAction("accept") { log.text += "below " }
      .onAction("go") { question = "Leave?" }
      .modal(item: $question) { question in
        Box(title: question) { Text("say what is lost") }
          .onAction("accept") { log.text += "modal " }
      }
  }
}

@MainActor @Suite struct ActionTests {
  @Test func `the inner handler beats the outer one`() {
    var done: [String] = []
    let view = Text("x").onAction("accept") { done.append("inner") }
      .onAction("accept") { done.append("outer") }
    TestScreen(table: table, root: view).press("a g a")
    #expect(done == ["inner", "inner"])
  }

  @Test func `one key does what the place offers`() {
    var done: [String] = []
    let view = Text("x").onAction("decline") { done.append("decline") }
      .onAction("remove", disabled: "Nobody is selected.") { done.append("remove") }
    TestScreen(table: table, root: view).press("x")
    #expect(done == ["decline"])
  }

  @Test func `a disabled action says why, and stays listed with its reason`() {
    var told: [String] = []
    var done = 0
    let view = Text("x").onAction("remove", disabled: "Nobody is selected.") { done += 1 }
      .onDisabledAction { action, reason in told.append("\(action.title): \(reason)") }
    let screen = TestScreen(table: table, root: view)

    screen.press("x")

    #expect(done == 0)
    #expect(told == ["remove: Nobody is selected."])
    #expect(
      screen.graph.actions.available.map { "\($0.id) \($0.disabledReason ?? "-")" }
        == ["remove Nobody is selected."])
  }

  @Test func `an action is performed by its name's id without any key`() {
    var done = 0
    let screen = TestScreen(table: table, root: Text("x").onAction("go") { done += 1 })
    #expect(screen.graph.perform("go"))
    #expect(!screen.graph.perform("accept"))
    #expect(done == 1)
  }

  @Test func `a footer follows what can be done`() async {
    struct Footer: View {
      @Environment(\.actions) private var actions
      var body: some View {
        Text(
          actions.available.map { "\(actions.table.hint(for: $0.id)) \($0.action.title)" }
            .joined(separator: "  "))
      }
    }
    struct Root: View {
      let model: PeopleModel
      var body: some View {
        VStack {
          if model.number == 0 {
            Text("x").onAction("accept") {}
          } else {
            Text("x").onAction("go") {}
          }
          Footer()
        }
      }
    }
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    #expect(screen.picture[1] == "a accept")
    model.number = 1
    await screen.waitUntilIdle()
    #expect(screen.picture[1] == "^K go")
  }

  @Test func `a modal keeps keys from what is below, but not from global handlers`() async {
    let log = PeopleModel()
    let root = Asking(
      log: log,
      below: Text("below").onAction("cancel", isGlobal: true) { log.text += "cancel " })
    let screen = TestScreen(table: table, root: root)
    screen.press("a ^K a ^C")
    #expect(log.text == "below modal cancel ")
    #expect(
      screen.picture[10...12].map { $0 } == [
        "                              ╭─ Leave? ─────────╮",
        "                              │ say what is lost │",
        "                              ╰──────────────────╯",
      ])
    #expect(Set(screen.graph.actions.available.map(\.id)) == ["accept", "cancel", "back"])

    screen.press("Esc a")
    #expect(log.text == "below modal cancel below ")
    #expect(screen.text == "below")

    screen.press("^K")
    screen.resize(to: Size(width: 40, height: 10))
    #expect(screen.picture[0] == "╭─ Leave? " + String(repeating: "─", count: 29) + "╮")
    #expect(!screen.contains("below"))
  }

  @Test func `a character with Alt that means nothing is taken for Esc, which may have come first`()
  {
    let log = PeopleModel()
    let below = Text("below").onAction("back") { log.text += "back " }
      .onKey(KeyChord(.character("b"), .alt)) {
        log.text += "alt "
        return true
      }
    let screen = TestScreen(table: table, root: Asking(log: log, below: below))
    screen.press("^K M-a")
    #expect(screen.text == "below")
    screen.press("M-b M-↑ M-a")
    #expect(log.text == "alt back ")
    // Within a sequence of keys Esc only ends it.
    screen.press("g M-a a")
    #expect(log.text == "alt back below ")
  }

  @Test func `a key handler sees a key before the table`() {
    var done: [String] = []
    let view = Text("x").onKey(.character("a")) {
      done.append("key")
      return done.count == 1
    }.onAction("accept") { done.append("action") }
    TestScreen(table: table, root: view).press("a a")
    #expect(done == ["key", "key", "action"])
  }

  @Test func `the table knows names, hints and keys`() {
    #expect(table.action(named: "accept")?.id == "accept")
    #expect(table.hint(for: "go") == "^K")
    #expect(table.keys(for: "accept").map(\.description) == ["a", "g a"])
  }
}

@Suite struct ChordMatcherTests {
  private let start = ContinuousClock.now
  private let actions = [
    Action(id: "first", title: "", summary: "", keys: ["g g"], section: ""),
    Action(id: "tab", title: "", summary: "", keys: ["g t"], section: ""),
    Action(id: "down", title: "", summary: "", keys: ["j"], section: ""),
  ]

  private func chord(_ name: String) -> KeyChord { KeyChord(name) ?? KeyChord(.escape) }

  @Test func `a sequence waits for its end`() {
    var matcher = ChordMatcher()
    #expect(matcher.feed(chord("g"), candidates: actions, at: start) == .pending)
    #expect(matcher.feed(chord("g"), candidates: actions, at: start) == .actions(["first"]))
    #expect(matcher.pending.isEmpty)
  }

  @Test func `a key that goes on nowhere is taken for itself, and Esc only leaves`() {
    var matcher = ChordMatcher()
    _ = matcher.feed(chord("g"), candidates: actions, at: start)
    #expect(matcher.feed(chord("j"), candidates: actions, at: start) == .actions(["down"]))
    _ = matcher.feed(chord("g"), candidates: actions, at: start)
    #expect(matcher.feed(chord("Esc"), candidates: actions, at: start) == .pending)
    #expect(matcher.pending.isEmpty)
    #expect(matcher.feed(chord("q"), candidates: actions, at: start) == .none)
  }

  @Test func `what can follow is told after 300 ms and not before`() {
    var matcher = ChordMatcher()
    _ = matcher.feed(chord("g"), candidates: actions, at: start)
    #expect(matcher.continuations(candidates: actions, at: start + .milliseconds(299)).isEmpty)
    let next = matcher.continuations(candidates: actions, at: start + .milliseconds(300))
    #expect(next.map { "\($0.keys) \($0.action.id)" } == ["g first", "t tab"])
  }

  @Test(arguments: [
    ("^k", "^K"), ("^K", "^K"), ("C-k", "^K"), ("ret", "↵"), ("<ret>", "↵"), ("Enter", "↵"),
    ("esc", "Esc"), ("g g", "g g"), ("G", "G"), ("S-Tab", "S-Tab"), ("M-b", "M-b"), ("^", "^"),
    ("PgDn", "PgDn"), ("pagedown", "PgDn"), ("down", "↓"), ("space", "Space"), ("F12", "F12"),
    ("-", "-"), ("<", "<"), ("?", "?"), ("漢", "漢"), ("C-→", "C-→"),
  ])
  func `key names are read and printed`(_ text: String, _ printed: String) {
    #expect(KeySequence(text)?.description == printed)
    #expect(KeySequence(printed)?.description == printed)
  }

  @Test(arguments: ["", "nokey", "F99", "g nokey"])
  func `what is no key is refused`(_ text: String) {
    #expect(KeySequence(text) == nil)
  }
}
