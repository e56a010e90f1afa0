import RallyDomain
import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct FooterTests {
  @Test func `the ranks order the hints, and no two are equal`() {
    let ranked = ActionTable.rally.actions.compactMap { action in
      action.footer.map { (id: action.id.rawValue, rank: $0.rank) }
    }.sorted { $0.rank < $1.rank }
    #expect(Set(ranked.map(\.rank)).count == ranked.count)
    #expect(
      ranked.map(\.id) == [
        "confirm", "submit", "missions.save-card", "pick.next", "pick.on-map", "draft.send",
        "field.next", "choice.keep", "choice.next", "objective.add", "sharing.more", "sharing.time",
        "asks.answer",
        "asks.dismiss", "questions.open", "map.open", "map.next-pin", "map.west", "map.zoom-in",
        "map.follow", "map.go-to", "missions.retry", "missions.drop", "missions.check-in",
        "missions.accept",
        "missions.decline", "missions.next-unread", "missions.join", "missions.open",
        "missions.card", "missions.say", "friends.accept", "friends.ask", "friends.on-map",
        "friends.share", "friends.locate", "friends.decline", "friends.cancel", "friends.unblock",
        "move-down", "missions.wider", "missions.invite", "missions.edit", "missions.on-map",
        "missions.compose", "filter", "friends.find", "section.next", "friends.unfriend",
        "friends.block", "mark", "mark-range", "copy", "ghost", "undo", "session.other", "demo",
        "session.show-password", "session.server", "refresh", "back", "ssh-key.show",
        "text.edit",
        "objective.remove", "draft.undo", "draft.clear",
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

  static let selections: [(String, [ActionID], String)] = [
    (
      "a friend", [PersonActions.onMap.id, PersonActions.share.id, PersonActions.locate.id],
      " o on the map  s share  W where are you?  j/k move "
    ),
    (
      "a request for me",
      [PersonActions.accept.id, PersonActions.decline.id, PersonActions.block.id],
      " a accept  x decline  j/k move  B block "
    ),
    (
      "a request of mine", [PersonActions.cancel.id, PersonActions.block.id],
      " x cancel  j/k move  B block "
    ),
    ("a blocked person", [PersonActions.unblock.id], " x unblock  j/k move "),
    (
      "an invitation",
      [MissionActions.accept.id, MissionActions.decline.id, MissionActions.open.id],
      " a accept  x decline  ↵ open  j/k move "
    ),
    (
      "a mission nearby",
      [MissionActions.join.id, MissionActions.open.id, MissionActions.wider.id],
      " J join  ↵ open  j/k move  w wider "
    ),
    (
      "a mission of mine",
      [
        MissionActions.open.id, MissionActions.say.id, MissionActions.invite.id, "missions.edit",
        MissionActions.showOnMap.id,
      ], " ↵ open  s say  j/k move  i invite  e edit  o map "
    ),
    (
      "an objective", [MissionActions.checkIn.id, MissionActions.say.id],
      " ↵ check in  s say  j/k move "
    ),
    (
      "a pin", [MapActions.open.id, MapActions.nextPin.id, MapActions.follow.id],
      " ↵ go there  Tab next pin  f follow  j/k move "
    ),
  ]

  @Test(arguments: await selections)
  func `what one does most with a selection comes first`(
    _ selection: String, _ ids: [ActionID], _ footer: String
  ) {
    let all = ids.reversed() + [ListActions.up.id, ListActions.down.id]
    let view = Text(selection).onActions(all.map { ActionHandler($0) {} })
    #expect(text(TestScreen(table: .rally, root: view)) == footer)
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
