import RallyDomain
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

struct KeyMapTests {
  private func map(_ lines: (String, [String])...) -> KeyMap {
    KeyMap(
      bindings: lines.enumerated().map { index, line in
        let place = SourcePosition(line: index + 1, column: 1)
        return KeyBinding(
          action: line.0, keys: line.1.map { .init($0, place: place) }, place: place)
      }, file: "config.toml")
  }

  @Test func `an action has the keys of the file in place of its own`() {
    let map = map(("refresh", ["F5", "M-r"]), ("undo", []), ("find", ["n"]))
    #expect(map.problems.isEmpty)
    #expect(map.table.keys(for: Action.refresh.id).map(\.description) == ["F5", "M-r"])
    #expect(map.table.keys(for: Action.undo.id).isEmpty)
    #expect(map.table.keys(for: SocialHome.find.id).map(\.description) == ["n"], "by its name")
    #expect(map.table.keys(for: Action.redo.id) == ActionTable.rally.keys(for: Action.redo.id))
  }

  @Test func `of two lines for one action the later one counts`() {
    let map = map(("refresh", ["F5"]), ("refresh", ["F6"]))
    #expect(map.table.hint(for: Action.refresh.id) == "F6")
  }

  @Test func `what is unknown is said and leaves the action as it comes`() {
    let map = map(
      ("refesh", ["F5"]), ("zzzzzz", ["x"]), ("undo", ["ctrl+u"]), ("redo", ["^I"]),
      ("cancel", []))
    #expect(
      map.problems.map(\.description) == [
        "config.toml:1:1: There is no action “refesh”. Did you mean refresh?",
        "config.toml:2:1: There is no action “zzzzzz”. rally keys lists all of them.",
        "config.toml:3:1: There are no keys “ctrl+u”. Write one like g g, ^K, M-b, Enter or F2.",
        "config.toml:4:1: Terminals send Tab for ^I. Write Tab.",
        "config.toml:5:1: cancel keeps ^C: it is the way out of everything.",
      ])
    #expect(map.table.actions == ActionTable.rally.actions)
  }

  @Test func `of several keys those that can be read count`() {
    let map = map(("undo", ["nokey", "U", "U"]))
    #expect(map.problems.count == 1)
    #expect(map.table.keys(for: Action.undo.id).map(\.description) == ["U"])
  }

  @Test func `two actions that meet must not share a key`() {
    let map = map(("friends.find", ["r"]))
    #expect(
      map.problems.map(\.description) == [
        "config.toml:1:1: r leads to friends.find and to refresh in the same place. Give one of "
          + "them another key, or \"none\"."
      ])
    #expect(self.map(("friends.find", ["r"]), ("refresh", [])).problems.isEmpty)
    let both = self.map(("friends.find", ["F2"]), ("friends.block", ["F2"]))
    #expect(both.problems.map(\.line) == [2], "told once, by the later line")
  }

  @Test func `a key that begins others is said, whichever of them is the new one`() {
    #expect(
      map(("refresh", ["g"])).problems.map(\.sentence).contains(
        "g t cannot be typed for tab.next: g leads to refresh at once."))
    #expect(
      map(("friends.find", ["u u"])).problems.map(\.sentence) == [
        "u u cannot be typed for friends.find: u leads to undo at once."
      ])
  }

  @Test func `actions that are never reached together may share keys`() {
    // Another tab, a form, and acts that the selection tells apart.
    #expect(map(("map.night", ["x"])).problems.isEmpty)
    #expect(map(("session.server", ["^L"])).problems.map(\.line) == [1], "repaint works in forms")
    #expect(map(("session.server", ["p"])).problems.isEmpty)
    #expect(map(("friends.accept", ["N"]), ("friends.ask", ["N"])).problems.isEmpty)
  }

  @Test func `the keys as they come are in no conflict, and every one can be written`() {
    let lines = ActionTable.rally.keyLines
    let map = KeyMap(
      bindings: lines.map { KeyBinding(action: $0.action, keys: $0.keys.map { .init($0) }) },
      file: "")
    #expect(map.problems.map(\.description) == [])
    #expect(map.table.actions == ActionTable.rally.actions)
    #expect(lines.flatMap(\.keys).allSatisfy { $0.allSatisfy(\.isASCII) })
  }

  @Test func `ids and names tell actions apart`() {
    let actions = ActionTable.rally.actions
    #expect(Set(actions.map(\.name)).count == actions.count)
    for action in actions {
      let meant = ActionTable.rally.action(written: action.name)
      #expect(meant?.id == action.id, "\(action.name) is the id of another action")
    }
  }
}
