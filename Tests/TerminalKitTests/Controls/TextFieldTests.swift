import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct TextFieldTests {
  private struct Form: View {
    let model: PeopleModel
    var isSecret = false
    var isFocused = true
    var onSubmit: (@MainActor () -> Void)?

    var body: some View {
      TextField(
        text: Binding(model, \.text), placeholder: "name", isSecret: isSecret,
        isFocused: isFocused, onSubmit: onSubmit
      ).frame(width: 10, height: 1)
    }
  }

  private func screen(_ model: PeopleModel, isSecret: Bool = false) -> TestScreen {
    TestScreen(root: Form(model: model, isSecret: isSecret))
  }

  @Test func `what is typed stands in the binding and on the screen`() {
    let model = PeopleModel()
    let screen = screen(model)
    #expect(screen.text == "name")
    #expect(screen.style(of: "name")?.role == .dim)

    screen.type("jk 漢")

    #expect(model.text == "jk 漢")
    #expect(screen.text == "jk 漢")
    #expect(screen.cursor == Cursor(position: Point(x: 5, y: 0), isVisible: true))
  }

  @Test(arguments: [
    ("^A x", "xone two-three"), ("^E x", "one two-threex"), ("^B ^B x", "one two-thrxee"),
    ("^A ^F ^F x", "onxe two-three"), ("^W", "one "), ("^U", ""), ("^A ^K", ""),
    ("M-b x", "one two-xthree"), ("M-b M-b ^K", "one "), ("^A M-f x", "onex two-three"),
    ("^A M-d", " two-three"), ("^H", "one two-thre"), ("^A ^D", "ne two-three"),
    ("← ← BS", "one two-thee"), ("Home Del", "ne two-three"),
    ("^W ^Y ^Y", "one two-threetwo-three"),
    ("^A M-f ^U ^E ^Y", " two-threeone"),
  ])
  func `readline's keys edit the line`(_ keys: String, _ result: String) {
    let model = PeopleModel()
    model.text = "one two-three"
    screen(model).press(keys)
    #expect(model.text == result)
  }

  @Test func `arrows and deletion go by what a person sees as one character`() {
    let model = PeopleModel()
    model.text = "a👨‍👩‍👧e\u{301}"
    let screen = screen(model)
    screen.press("BS")
    #expect(model.text == "a👨‍👩‍👧")
    screen.press("← Del")
    #expect(model.text == "a")
  }

  @Test func `a mark joins the character before it`() {
    let model = PeopleModel()
    let screen = screen(model)
    screen.type("e")
    screen.terminal.send([.key(.character("\u{301}"))])
    screen.type("x")
    #expect(model.text == "e\u{301}x")
    screen.press("BS BS")
    #expect(model.text == "")
  }

  @Test func `a long line scrolls with the caret and never splits a wide character`() {
    let model = PeopleModel()
    let screen = screen(model)
    screen.type("漢字漢字漢字x")
    #expect(screen.text == "漢字漢字x")
    #expect(screen.cursor?.position.x == 9)
    screen.press("^A")
    #expect(screen.text == "漢字漢字漢")
    screen.press("^E ^U")
    #expect(screen.text == "name")
  }

  @Test func `a paste is text: its line breaks are blanks and its letters run nothing`() {
    let model = PeopleModel()
    let screen = screen(model)
    screen.paste("one\ntwo\u{1b}[A\tq")
    #expect(model.text == "one two[A q")
  }

  @Test func `a secret is shown as dots`() {
    let model = PeopleModel()
    let screen = screen(model, isSecret: true)
    screen.type("pass漢")
    #expect(screen.text == "•••••")
  }

  @Test func `a field without focus takes no keys`() {
    let model = PeopleModel()
    let screen = TestScreen(root: Form(model: model, isFocused: false))
    screen.type("abc")
    #expect(model.text == "")
    #expect(screen.cursor == nil)
  }

  @Test func `Esc, Tab and Enter reach the actions, printable keys do not`() {
    let model = PeopleModel()
    var done: [String] = []
    let table = ActionTable(
      ["Esc", "Tab", "↵", "j", "^A"].map {
        Action(
          id: ActionID($0), title: $0, summary: $0, keys: [KeySequence(stringLiteral: $0)],
          section: "Test")
      })
    let form = Form(model: model)
      .onAction("Esc") { done.append("Esc") }.onAction("Tab") { done.append("Tab") }
      .onAction("↵") { done.append("Enter") }.onAction("j") { done.append("j") }
      .onAction("^A") { done.append("^A") }
    let screen = TestScreen(table: table, root: form)

    screen.press("j ^A Esc Tab ↵")

    #expect(done == ["Esc", "Tab", "Enter"])
    #expect(model.text == "j")
  }

  @Test func `Enter submits where a field says how`() {
    let model = PeopleModel()
    var submitted: [String] = []
    let screen = TestScreen(
      root: Form(model: model, onSubmit: { submitted.append(model.text) }))
    screen.type("hi")
    screen.press("↵")
    #expect(submitted == ["hi"])
  }

  @Test func `a field is submitted with the keys that the person gave that act`() {
    let model = PeopleModel()
    var submitted: [String] = []
    let table = ActionTable([
      Action(id: "submit", title: "", summary: "", keys: ["^O", "x"], section: "Forms")
    ])
    let screen = TestScreen(
      table: table, root: Form(model: model, onSubmit: { submitted.append(model.text) }))
    screen.type("hix")
    screen.press("↵")
    #expect(submitted == [], "neither the key it had nor a letter, which is typed")
    screen.press("^O")
    #expect(submitted == ["hix"])
  }

  private struct Limited: View {
    let model: PeopleModel
    let said: Said

    var body: some View {
      TextField(text: Binding(model, \.text), isFocused: model.number == 0, limit: 5)
        .frame(width: 10, height: 1).onNotice { said.sentences.append($0) }
    }
  }

  @MainActor private final class Said {
    var sentences: [String] = []
  }

  @Test func `a field takes what it has room for, and says that it took no more`() {
    let model = PeopleModel()
    let said = Said()
    let screen = TestScreen(root: Limited(model: model, said: said))
    screen.type("ab")
    screen.paste("cdefgh")
    #expect(model.text == "abcde")
    #expect(
      said.sentences == ["This field takes no more than 5 characters; the rest was not pasted."])
    screen.type("f")
    #expect(model.text == "abcde")
    #expect(said.sentences.last == "This field takes no more than 5 characters.")
    screen.press("BS")
    screen.paste("e")
    #expect(model.text == "abcde")
    #expect(said.sentences.count == 2)
  }

  @Test func `a paste that nothing takes is said, and runs no keys`() {
    let model = PeopleModel()
    model.number = 1
    let said = Said()
    let screen = TestScreen(root: Limited(model: model, said: said))
    screen.paste("q")
    #expect(said.sentences == ["Nothing here takes pasted text."])
    #expect(model.text.isEmpty)
  }

  @Test(arguments: [
    ("ana\n", "ana"), ("\r\n\nana\r\n", "ana"), ("two\nlines", "two lines"),
    ("a\r\nb\tc", "a b c"), ("\n\n", ""), ("\u{1b}[31mred\u{202e}", "[31mred"),
    (" kept blanks ", " kept blanks "),
  ])
  func `pasted lines become one, without the breaks around them`(_ pasted: String, _ line: String) {
    let model = PeopleModel()
    let screen = screen(model)
    screen.paste(pasted)
    #expect(model.text == line)
  }

  @Test func `a hundred thousand characters are one paste, of which the field takes its part`() {
    let model = PeopleModel()
    let screen = screen(model)
    let frames = screen.terminal.drawCount
    screen.paste(String(repeating: "0123456789", count: 10_000))
    #expect(model.text.count == TextField.usualLimit)
    #expect(screen.terminal.drawCount == frames + 1)
    screen.paste("e" + String(repeating: "\u{301}", count: 100_000))
    #expect(model.text.count == TextField.usualLimit)
  }
}
