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

  /// The signs of a tab, and of the frame around it.
  static func all(on tab: RallyTab) -> [HelpSign] {
    switch tab {
    case .map: map + frame
    case .missions: missions + frame
    case .friends: friends + frame
    }
  }

  private static let map = [
    HelpSign("●", "a friend, live", "The position of this friend is less than 10 min old."),
    HelpSign(
      "○", "a friend, older", "The position of this friend is between 10 min and 6 h old."),
    HelpSign(
      "◌", "a friend, old",
      "The position of this friend is more than 6 h old. An exact one leaves the map after a day, a "
        + "coarse one after a week. The same sign is the middle of a zone of yours."),
    HelpSign(
      "A", "a friend, by a letter",
      "Where the map is painted, a friend is the first letter of the name: on green while live, on "
        + "grey when older."),
    HelpSign(
      "●3", "several friends",
      "So many people stand too near each other to be drawn apart. Zoom in to see each of them."),
    HelpSign("@", "you", "Where you are, as this machine knows it."),
    HelpSign(
      "◆ ◇", "a mission",
      "The middle of a mission: ◆ is one that you have joined, ◇ one that you may join. Enter opens "
        + "it."),
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
    HelpSign(
      "✓", "done",
      "The mission, or the objective, is completed. Beside the sign of a mission: you marked it."),
    HelpSign("x", "called off", "Whoever made this mission has called it off."),
    HelpSign(
      "·", "over, or not done",
      "A mission that ended before all was done, or an objective that is still to do."),
    HelpSign("▸", "the next objective", "The objective that comes next, or the row you are on."),
    HelpSign("▰▰▱", "how far it is", "How many of the objectives of the mission are done."),
    HelpSign(
      "● ○", "online, not online",
      "Before the name of a member: whether they are online. Below a title ● is an invitation."),
    sending,
    HelpSign("↻", "queued", "A check-in that waits for the network."),
    HelpSign("!", "not taken", "A check-in that the server refused, or that came too late."),
  ]

  private static let friends = [
    HelpSign(
      "▮▮▮⇄▮▯▯", "you see, they see",
      "Left of the arrows is how exactly they show you where they are, right of them how exactly "
        + "they see you. ▮▯▯ is about 10 km, ▮▮▯ about 1 km, ▮▮▮ precisely, ▯▯▯ nothing. A time "
        + "right after it is how long they see that yet."),
    HelpSign(
      "~20 km", "about so far", "One of the two positions is coarse: the distance is about that."),
    HelpSign(
      "<10 km", "at most so far", "You are nearer to each other than this; how near is not known."),
    HelpSign(
      "☼ ☾", "day or night there",
      "The time before it is theirs: ☼ while the sun is up where they are, ☾ at night."),
    HelpSign("●", "a friend, online", "A friend who is online."),
    HelpSign(
      "○", "a friend, not online",
      "A friend who is not online. The end of the row says how long ago they were."),
    HelpSign(
      "?", "asks you",
      "Somebody who wants to be friends, or a friend who asks where you are."),
    HelpSign(">", "you asked", "Somebody whom you have asked to be friends."),
    HelpSign("·", "a stranger", "You are not friends, and neither of you has asked."),
    HelpSign("x", "blocked", "Somebody whom you have blocked."),
    sending,
    HelpSign("✓", "marked", "A row that you marked: the next act is for all of them."),
  ]

  private static let sending = HelpSign(
    "~", "on its way", "What you did is being sent to the server.")

  /// What stands at the top of every tab.
  private static let frame = [
    HelpSign(
      "● ◐ ◌ ○", "the link, at the top",
      "● is live: what others do comes by itself. ◐ asks the server now and then, ◌ has no answer, "
        + "○ is signed out."),
    HelpSign(
      "·2", "waits for you", "So many requests, questions or invitations on that tab wait for you."),
  ]
}
