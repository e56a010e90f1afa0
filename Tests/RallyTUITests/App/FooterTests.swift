import RallyDomain
import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

@MainActor @Suite struct FooterTests {
  @Test func `the ranks order the hints, and no two are equal`() {
    let ranked = ActionTable.rally.actions.compactMap { action in
      action.footer.map { (id: action.id.rawValue, rank: $0.rank) }
    }.sorted { $0.rank < $1.rank }
    #expect(Set(ranked.map(\.rank)).count == ranked.count)
    #expect(
      ranked.map(\.id) == [
        "confirm", "submit", "missions.save-card", "pick.next", "pick.on-map", "draft.send",
        "field.next", "choice.next", "objective.add", "sharing.more", "sharing.time",
        "asks.answer", "asks.dismiss", "map.west", "map.zoom-in", "map.next-pin", "map.open",
        "map.follow", "map.go-to", "missions.retry", "missions.drop", "missions.check-in",
        "missions.accept", "missions.decline", "friends.accept", "friends.ask", "friends.on-map",
        "friends.share", "friends.decline", "friends.cancel", "friends.unblock", "move-down",
        "missions.next-unread", "missions.open", "missions.card", "missions.join", "missions.say",
        "missions.wider", "missions.on-map", "missions.compose", "missions.invite", "filter",
        "friends.find", "section.next", "friends.unfriend", "friends.block", "mark", "mark-range",
        "copy", "ghost", "undo", "session.other", "demo", "session.show-password", "session.server",
        "refresh", "back", "text.edit", "objective.remove", "draft.undo", "draft.clear",
      ])
  }

  @Test func `partners share one hint while all of them have keys`() {
    let map = KeyMap(
      bindings: [KeyBinding(action: "map.zoom-out", keys: [])], file: "config.toml")
    #expect(hints(.rally) == " hjkl pan  +/- zoom  j/k move ")
    #expect(hints(map.table) == " hjkl pan  + zoom in  j/k move ")
  }

  @Test func `hints are sorted by rank and leave out what is disabled or has no rank`() {
    let view = Text("x").onAction(.refresh) {}.onAction(.undo, disabled: "Nothing to undo.") {}
      .onAction(.leave) {}.onAction(.copy) {}
    let screen = TestScreen(table: .rally, root: view)
    #expect(text(screen) == " y copy  r refresh ")
  }

  @Test func `what a pane or a sheet shows with its key is not repeated`() {
    let view = Text("x").onAction(.refresh) {}.onAction(.copy) {}
    let pane = VStack {
      view
      Text("y copy").showsHints(of: [Action.copy.id])
    }
    #expect(text(TestScreen(table: .rally, root: view)) == " y copy  r refresh ")
    #expect(text(TestScreen(table: .rally, root: pane)) == " r refresh ")
    // While one types, another key leads there.
    let typing = VStack {
      TextField(text: .constant(""), isFocused: true)
      Text("a ask").onAction(PersonActions.ask.id) {}.showsHints(of: [PersonActions.ask.id])
    }
    #expect(text(TestScreen(table: .rally, root: typing)) == " ↵ ask ")
  }

  private func hints(_ table: ActionTable) -> String {
    let ids =
      [MapActions.zoomIn, MapActions.zoomOut].map(\.id) + MapActions.panning.map(\.id)
      + [ListActions.down.id, ListActions.up.id]
    let view = Text("x").onActions(ids.map { ActionHandler($0) {} })
    return text(TestScreen(table: table, root: view))
  }

  private func text(_ screen: TestScreen) -> String {
    FooterHints(screen.graph.actions).spans(fitting: 80).map(\.text).joined()
  }
}
