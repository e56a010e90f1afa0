import RallyDomain
import RallySystem
import TerminalKit

/// A heading or an action of the help.
struct HelpRow: Hashable, Identifiable {
  var id: String
  /// The first key.
  var key: String
  /// What it does, in a word or two; the name of a heading.
  var title: String
  var isHeading = false
  var details: HelpDetails?
  /// What a sign says; nil for a key.
  var sentence: String?

  /// What it does, in sentences.
  var explanation: String? {
    guard let details else { return sentence }
    return details.disabledReason.map { "\(details.summary) Not now: \($0)" } ?? details.summary
  }

  var isEnabled: Bool { details?.disabledReason == nil }

  /// The ways to end the program, the plainest first: one of them is listed, and its details name
  /// the others.
  static let waysToQuit = [Action.leave.id, ProgramActions.cancel.id, ProgramActions.quit.id]

  /// Grouped by section, in the order of the action table.
  static func rows(
    _ available: [AvailableAction], filter: String,
    nameOf name: (KeySequence) -> String = \.description
  ) -> [HelpRow] {
    let needle = filter.lowercased()
    let quit = waysToQuit.first { way in available.contains { $0.id == way } }
    let shown = available.filter { entry in
      guard !entry.action.keys.isEmpty else { return false }
      if waysToQuit.contains(entry.id), entry.id != quit { return false }
      return needle.isEmpty || entry.action.summary.lowercased().contains(needle)
        || entry.action.name.contains(needle) || entry.action.title.lowercased().contains(needle)
        || entry.action.keys.contains { $0.description.lowercased() == needle }
    }
    let sections = shown.reduce(into: [String]()) {
      if !$0.contains($1.action.section) { $0.append($1.action.section) }
    }
    return sections.flatMap { section in
      [HelpRow(id: "section \(section)", key: "", title: section, isHeading: true)]
        + shown.filter { $0.action.section == section }.map { entry in
          HelpRow(
            id: entry.id.rawValue, key: entry.action.keys.first.map(name) ?? "",
            title: entry.action.title,
            details: HelpDetails(
              entry, others: entry.id == quit ? others(than: entry.id, among: available) : [],
              nameOf: name))
        }
    }
  }

  /// The legend of a tab.
  static func rows(ofSignsOn tab: RallyTab, filter: String) -> [HelpRow] {
    let needle = filter.lowercased()
    let heading = "Signs"
    let shown = HelpSign.all(on: tab).filter {
      needle.isEmpty || heading.lowercased().hasPrefix(needle) || $0.sign == needle
        || $0.title.contains(needle) || $0.sentence.lowercased().contains(needle)
    }
    guard !shown.isEmpty else { return [] }
    return [HelpRow(id: "section \(heading)", key: "", title: heading, isHeading: true)]
      + shown.map {
        HelpRow(id: "sign \($0.sign)", key: $0.sign, title: $0.title, sentence: $0.sentence)
      }
  }

  private static func others(
    than way: ActionID, among available: [AvailableAction]
  ) -> [Action] {
    available.map(\.action).filter { waysToQuit.contains($0.id) && $0.id != way }
  }
}

/// Everything that the help says of one action.
struct HelpDetails: Hashable {
  var summary: String
  /// All keys.
  var keys: String
  /// What is typed on the command line.
  var command: String
  var disabledReason: String?
  /// Other actions to the same end: `^C  Cancel; pressed twice it quits.`
  var others: [String]

  init(
    _ entry: AvailableAction, others: [Action] = [],
    nameOf name: (KeySequence) -> String = \.description
  ) {
    summary = entry.action.summary
    keys = entry.action.keys.map(name).joined(separator: ", ")
    command = ":\(entry.action.name)"
    disabledReason = entry.disabledReason
    self.others = others.compactMap { other in
      other.keys.first.map { "\(name($0))  \(other.summary)" }
    }
  }
}

/// The help as pages of columns.
struct HelpPages: Hashable {
  /// Pages, their columns and the rows of these.
  let pages: [[[HelpRow]]]

  /// - Parameters:
  ///   - columns: How many stand side by side.
  ///   - height: Rows of each column.
  init(_ rows: [HelpRow], columns: Int, height: Int) {
    let height = max(2, height)
    var filled: [[HelpRow]] = []
    for row in rows {
      // A heading is never the last row of a column.
      let room = height - (filled.last?.count ?? height)
      if room < (row.isHeading ? 2 : 1) { filled.append([]) }
      filled[filled.count - 1].append(row)
    }
    pages = stride(from: 0, to: filled.count, by: columns).map {
      Array(filled[$0..<min($0 + columns, filled.count)])
    }
  }

  /// The actions in reading order.
  var actions: [HelpRow] { pages.joined().joined().filter { !$0.isHeading } }

  /// The page that has the row; the first one if none has.
  func page(of id: HelpRow.ID?) -> Int {
    pages.firstIndex { $0.joined().contains { $0.id == id } } ?? 0
  }

  /// The first action of a page; nil if there is no such page.
  func first(ofPage page: Int) -> HelpRow.ID? {
    guard pages.indices.contains(page) else { return nil }
    return pages[page].joined().first { !$0.isHeading }?.id
  }
}

/// A sign of a screen and what it says: the legend at the end of the help.
struct HelpSign: Hashable {
  var sign: String
  /// In a few words.
  var title: String
  var sentence: String

  private init(_ sign: String, _ title: String, _ sentence: String) {
    (self.sign, self.title, self.sentence) = (sign, title, sentence)
  }

  /// The signs of a tab.
  static func all(on tab: RallyTab) -> [HelpSign] {
    switch tab {
    case .map: map
    case .missions: missions
    case .friends: friends
    }
  }

  private static let map = [
    HelpSign("●", "a friend, live", "The position of this friend is less than two minutes old."),
    HelpSign(
      "○", "a friend, older", "The position of this friend is between two and thirty minutes old."),
    HelpSign(
      "◌", "a friend, old",
      "The position of this friend is more than thirty minutes old. After a day it leaves the map."),
    HelpSign(
      "●3", "several friends",
      "So many people stand too near each other to be drawn apart. Zoom in to see each of them."),
    HelpSign("◆", "a mission", "The middle of a mission that you see. Enter opens it."),
    HelpSign(
      "2 9 km→", "out of view",
      "Somebody is beyond this edge of the map: how many they are, how far the nearest is, and in "
        + "which direction."),
    HelpSign(
      "<15m", "at most so old",
      "What a friend shares coarsely is known by the quarter of an hour: it is at most 15 minutes "
        + "old. 3m, without the sign, is the age itself, and now is this minute."),
    HelpSign("· ◦", "a city, a capital", "A dot is a city, a ring is the capital of its country."),
  ]

  private static let missions = [
    HelpSign("◆", "you are in it", "A mission that you have joined."),
    HelpSign("◇", "you may join", "A mission that you see and have not joined."),
    HelpSign("?", "you are invited", "Somebody has invited you to this mission."),
    HelpSign("✓", "done", "The mission, or the objective, is completed."),
    HelpSign("x", "called off", "Whoever made this mission has called it off."),
    HelpSign("▰▰▱", "how far it is", "How many of the objectives of the mission are done."),
  ]

  private static let friends = [
    HelpSign(
      "▮▮▮⇄▮▯▯", "you see, they see",
      "Left of the arrows is how exactly they show you where they are, right of them how exactly "
        + "they see you. ▮▯▯ is about 10 km, ▮▮▯ about 1 km, ▮▮▮ precisely, ▯▯▯ nothing."),
    HelpSign(
      "~20 km", "about so far", "One of the two positions is coarse: the distance is about that."),
    HelpSign(
      "<10 km", "at most so far", "You are nearer to each other than this; how near is not known."),
    HelpSign("?", "wants to be friends", "Somebody who has asked you to be friends."),
    HelpSign(">", "you asked", "Somebody whom you have asked to be friends."),
    HelpSign("○", "a friend", "You are friends."),
  ]
}
