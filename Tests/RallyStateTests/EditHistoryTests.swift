import Testing

@testable import RallyState

struct EditHistoryTests {
  /// Types a text into a field letter by letter.
  private func type(_ text: String, into field: String, of history: inout EditHistory<String>) {
    for letter in text { history.change(to: history.present + String(letter), field: field) }
  }

  @Test func `what is typed into one field is one step`() {
    var history = EditHistory("")
    type("fog", into: "title", of: &history)
    type("!", into: "brief", of: &history)
    history.undo()
    #expect(history.present == "fog")
    history.undo()
    #expect(history.present == "")
    #expect(!history.canUndo)
  }

  @Test func `what was undone is done again until something else is typed`() {
    var history = EditHistory("")
    type("fog", into: "title", of: &history)
    history.undo()
    #expect(history.canRedo)
    history.redo()
    #expect(history.present == "fog")
    history.undo()
    type("sun", into: "title", of: &history)
    #expect(!history.canRedo)
    let isRedone = history.redo()
    #expect(!isRedone)
    #expect(history.present == "sun")
  }

  @Test func `a step ends when the cursor leaves the field`() {
    var history = EditHistory("")
    type("fog", into: "title", of: &history)
    history.endStep()
    type("gy", into: "title", of: &history)
    history.undo()
    #expect(history.present == "fog")
  }

  @Test func `typing goes on after an undo as a step of its own`() {
    var history = EditHistory("")
    type("a", into: "title", of: &history)
    type("b", into: "brief", of: &history)
    history.undo()
    type("c", into: "title", of: &history)
    history.undo()
    #expect(history.present == "a")
  }

  @Test func `changes without a field stand alone, and none is none`() {
    var history = EditHistory(0)
    history.change(to: 1)
    history.change(to: 1)
    history.change(to: 2)
    history.undo()
    #expect(history.present == 1)
    history.undo()
    let isUndone = history.undo()
    #expect(!isUndone)
    #expect(history.present == 0)
  }

  @Test func `the oldest steps are forgotten`() {
    var history = EditHistory(0, limit: 3)
    for number in 1...10 { history.change(to: number) }
    while history.undo() {}
    #expect(history.present == 7)
  }
}
