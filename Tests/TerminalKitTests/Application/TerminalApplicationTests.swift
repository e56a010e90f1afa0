import RallyTestSupport
import Testing

@testable import TerminalKit

private struct Root: View {
  let model: PeopleModel
  @Environment(\.terminal) private var terminal

  var body: some View {
    Text("number \(model.number)")
      .onAction("quit") { terminal.quit() }
      .onAction("stop") { terminal.suspend() }
      .onAction("more") { model.number += 1 }
  }
}

private let table = ActionTable([
  Action(id: "quit", title: "", summary: "", keys: ["q"], section: ""),
  Action(id: "stop", title: "", summary: "", keys: ["^Z"], section: ""),
  Action(id: "more", title: "", summary: "", keys: ["m"], section: ""),
])

@MainActor @Suite struct TerminalApplicationTests {
  /// What is said of letters of another alphabet, and the number after `m` was pressed.
  private func press(
    _ events: [InputEvent], knowsPlaces: Bool = false, keys: [KeySequence] = ["m"]
  ) -> (number: Int, notices: [String]) {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    terminal.canReportKeyPlaces = knowsPlaces
    let model = PeopleModel()
    var notices: [String] = []
    let application = TerminalApplication(
      terminal: terminal,
      table: ActionTable([Action(id: "more", title: "", summary: "", keys: keys, section: "")]),
      root: Root(model: model).onNotice { notices.append($0) })
    application.start()
    for event in events { terminal.send([event]) }
    application.finish()
    return (model.number, notices)
  }

  private func letter(_ letter: Character, at place: Character) -> InputEvent {
    .letter(.character(letter), place: .character(place))
  }

  @Test func `a letter of another alphabet acts as the key at its place`() {
    let cyrillic = press([letter("ь", at: "m"), letter("ф", at: "a")])
    #expect(cyrillic.number == 1)
    #expect(cyrillic.notices.isEmpty)
    // Also within a sequence, and not where it has keys of its own.
    #expect(press([letter("п", at: "g"), letter("ь", at: "m")], keys: ["g m"]).number == 1)
    #expect(press([letter("ь", at: "x")], keys: ["ь"]).number == 1)
    #expect(press([letter("ь", at: "m")], keys: ["m", "ь"]).number == 1)
  }

  @Test func `where the terminal does not say the place it is asked, or the person is told, once`()
  {
    let letters = "ьйё".map { InputEvent.key(.character($0)) }
    let told = press(letters)
    #expect(told.notices.count == 1)
    #expect(told.notices.first?.contains("ь is no key") == true)
    let asked = press(letters, knowsPlaces: true)
    #expect(asked.notices.count == 1)
    #expect(asked.notices.first?.contains("press ь again") == true)
    #expect(press([.key(.character("z")), .key(.character("ь"))], keys: ["ь"]).notices.isEmpty)
  }

  @Test func `a burst of keys is one frame`() {
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    let before = screen.terminal.drawCount
    screen.terminal.send(Array(repeating: .key(.character("m")), count: 10))
    #expect(screen.text == "number 10")
    #expect(screen.terminal.drawCount == before + 1)
  }

  @Test func `nothing is sent when nothing changed`() async {
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    await screen.waitUntilIdle()
    let before = screen.terminal.drawCount
    screen.press("z z Esc")
    model.number = 0
    await screen.waitUntilIdle()
    #expect(screen.terminal.drawCount == before)
  }

  @Test func `changes that come by themselves are gathered into few frames`() async {
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    let before = screen.terminal.drawCount
    let start = ContinuousClock.now
    for _ in 0..<60 {
      model.number += 1
      try? await Task.sleep(for: .milliseconds(3))
    }
    await screen.waitFor("number 60")
    let intervals = (ContinuousClock.now - start) / FramePacing.interval
    #expect(Double(screen.terminal.drawCount - before) <= intervals + 2)
  }

  @Test func `a key is painted at once, however many changes came just before`() async {
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    model.number = 40
    screen.press("m")
    #expect(screen.text == "number 41")
  }

  @Test func `while it is stopped nothing is sent, and everything when it goes on`() async {
    let model = PeopleModel()
    let screen = TestScreen(table: table, root: Root(model: model))
    screen.press("^Z")
    #expect(screen.terminal.suspendCount == 1)
    #expect(!screen.application.control.isForeground)
    let before = screen.terminal.drawCount
    model.number = 5
    await screen.waitUntilIdle()
    #expect(screen.terminal.drawCount == before)

    screen.terminal.resume()
    #expect(screen.text == "number 5")
  }

  @Test func `quitting ends the run and gives the terminal back`() async {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    let application = TerminalApplication(
      terminal: terminal, table: table, root: Root(model: PeopleModel()))
    async let end = application.run()
    while !terminal.isStarted { await Task.yield() }
    terminal.send([.key(.character("q"))])
    #expect(await end == .quit)
    #expect(terminal.isClosed)
    #expect(application.graph.nodeCount == 0)
  }

  @Test func `a signal ends the run after saving, before the terminal is given back`() async {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    var steps: [String] = []
    let application = TerminalApplication(
      terminal: terminal, table: table,
      save: {
        await Task.yield()
        steps.append(terminal.isClosed ? "closed" : "open")
      }, root: Root(model: PeopleModel()))
    async let end = application.run()
    while !terminal.isStarted { await Task.yield() }
    terminal.onEvent?(.ending(15))
    #expect(await end == .signal(15))
    #expect(steps == ["open"])
    #expect(terminal.isClosed)
  }

  @Test func `control Z stops the process once everything is saved`() async {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    let (saved, save) = AsyncStream.makeStream(of: Void.self)
    let application = TerminalApplication(
      terminal: terminal, table: table, save: { for await _ in saved {} },
      root: Root(model: PeopleModel()))
    application.start()
    terminal.suspend()
    #expect(!application.control.isForeground)
    #expect(terminal.stopCount == 0)
    save.finish()
    while terminal.stopCount == 0 { await Task.yield() }
    terminal.resume()
    #expect(application.control.isForeground)
    #expect(terminal.stopCount == 1)
    application.finish()
  }

  @Test func `a save that does not end holds up control Z for half a second only`() async {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    let (never, keeping) = AsyncStream.makeStream(of: Void.self)
    let application = TerminalApplication(
      terminal: terminal, table: table, save: { for await _ in never {} },
      root: Root(model: PeopleModel()))
    application.start()
    terminal.suspend()
    while terminal.stopCount == 0 { await Task.yield() }
    keeping.finish()
    application.finish()
  }

  @Test func `a terminal that went away ends the run`() async {
    let terminal = InMemoryTerminal(size: Size(width: 20, height: 2))
    let application = TerminalApplication(
      terminal: terminal, table: table, root: Root(model: PeopleModel()))
    async let end = application.run()
    while !terminal.isStarted { await Task.yield() }
    terminal.onEvent?(.hangup)
    #expect(await end == .hangup)
  }
}

@Suite struct FramePacingTests {
  @Test func `frames keep their distance, less after a key`() {
    let start = ContinuousClock.now
    var pacing = FramePacing()
    #expect(pacing.delay(at: start) == .zero)
    pacing.painted(at: start)
    #expect(pacing.delay(at: start + .milliseconds(10)) == .milliseconds(30))
    #expect(pacing.delay(at: start + .milliseconds(40)) == .zero)
    pacing.input(at: start + .milliseconds(2))
    #expect(pacing.delay(at: start + .milliseconds(3)) == .milliseconds(5))
    #expect(pacing.delay(at: start + .milliseconds(10)) == .zero)
  }
}
