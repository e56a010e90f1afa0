import TerminalKit

// The acts of choosing among many: going to anything. Joined to the table in
// `ActionTable+Rally.swift`.

extension ActionID {
  static let mark = ActionID("mark")
  static let markRange = ActionID("mark-range")
  static let paneWider = ActionID("pane.wider")
  static let paneNarrower = ActionID("pane.narrower")
  static let paneSwap = ActionID("pane.swap")
  static let goToAnything = ActionID("go-to-anything")
  static let pickNext = ActionID("pick.next")
  static let pickPrevious = ActionID("pick.previous")
  static let pickOnMap = ActionID("pick.on-map")
}

extension ActionTable {
  /// What moves the map by a step.
  static let panning: Set<ActionID> = [.mapWest, .mapSouth, .mapNorth, .mapEast]

  static let choosing: [Action] = [
    Action(
      id: .goToAnything, name: "anything", title: "go to",
      summary: "Go to a person, a mission, a place or an act by a few letters of its name.",
      keys: ["^K", "^P"], section: "Everywhere"),
    Action(
      id: .paneWider, name: "wider-pane", title: "wider pane",
      summary: "Make the pane beside the list or the map wider; it is remembered.", keys: ["<"],
      section: "Everywhere"),
    Action(
      id: .paneNarrower, name: "narrower-pane", title: "narrower pane",
      summary: "Make the pane beside the list or the map narrower; it is remembered.", keys: [">"],
      section: "Everywhere"),
    Action(
      id: .paneSwap, name: "swap-panes", title: "swap panes",
      summary: "Put the pane beside the list on the other side; it is remembered.", keys: ["|"],
      section: "Everywhere"),
    Action(
      id: .mark, title: "mark",
      summary: "Mark the row, or not after all: acts are then done with all that are marked.",
      keys: ["Space"], section: "Lists"),
    Action(
      id: .markRange, name: "mark-range", title: "range",
      summary: "Mark all rows from here to where the selection goes; again ends it.",
      keys: ["v"], section: "Lists"),
    Action(
      id: .pickNext, name: "next-hit", title: "next", summary: "Select the next thing found.",
      keys: ["^N"], section: "Forms"),
    Action(
      id: .pickPrevious, name: "previous-hit", title: "previous",
      summary: "Select the thing found before.", keys: ["^P"], section: "Forms"),
    Action(
      id: .pickOnMap, name: "hit-on-map", title: "on the map",
      summary: "Show where the person found is.", keys: ["^O"], section: "Forms"),
  ]
}
