import RallyDomain
import RallyWire
import TerminalKit

/// The details of the selected person and the available actions.
struct PersonDetail: View {
  let entry: PersonEntry?
  /// A further fact about the person: `in this mission`.
  var note: String?
  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    if let entry {
      VStack(spacing: 0) {
        Text(entry.profile.displayName, .title)
        Text(entry.profile.handle, .dim)
        Text("")
        Line(status(of: entry))
        if entry.status == .incoming, let asked = entry.askedAt {
          Text("asked \(Age.sentenceByMinute(asked, at: ageClock.now))", .dim)
        }
        if let note { Text(note, .dim) }
        if entry.status == .friends, let since = entry.profile.since {
          Text("friends since \(Age.day(since))", .dim)
        }
        if let joined = entry.profile.joinedAt { Text("joined \(Age.day(joined))", .dim) }
        if !entry.profile.bio.isEmpty {
          Text("")
          Paragraph("“\(entry.profile.bio)”")
        }
        Text("")
        ForEach(hints(for: entry), id: \.id) { action in
          Line(Span("\(actions.table.hint(for: action.id)) ", .accent), Span(action.title))
            .onClick { [actions] in actions.perform(action.id) }
        }
      }
      .padding(horizontal: 1)
      .aging(if: entry.showsAge)
    }
  }

  private func status(of entry: PersonEntry) -> [Span] {
    let now = ageClock.now
    let mark = PersonMark(entry)
    let glyph = Span(isPlain ? "" : "\(mark.glyph) ", mark.style)
    switch entry.status {
    case .incoming: return [glyph, Span("wants to be friends")]
    case .outgoing:
      let asked = entry.askedAt.map { ", \(Age.sentenceByMinute($0, at: now))" } ?? ""
      return [glyph, Span("you asked\(asked)")]
    case .friends:
      let presence =
        entry.profile.isOnline
        ? "online"
        : entry.profile.lastSeen.map { "seen \(Age.sentenceByMinute($0, at: now))" } ?? "offline"
      return [glyph, Span(presence)]
    case .blocked: return [glyph, Span("blocked")]
    case .none: return [glyph, Span("not a friend")]
    }
  }

  private func hints(for entry: PersonEntry) -> [Action] {
    PersonActions.listed(for: entry.status).compactMap { actions.table[$0.id] }
  }
}
