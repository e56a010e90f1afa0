import FoundationEssentials
import Observation
import RallyDomain
import RallyText
import RallyWire
import TerminalKit

/// What a person is about to say, for each mission: a text belongs to the mission it was begun in.
@MainActor
@Observable
final class MessageDraft {
  /// In which mission keys go into the line now.
  private(set) var typingIn: UUID?
  private(set) var texts: [UUID: String] = [:]
  /// Why the last line was not taken.
  private(set) var problems: [UUID: String] = [:]
  private(set) var sending: Set<UUID> = []

  func begin(in missionID: UUID) { typingIn = missionID }

  /// Leaves the line; the text stays.
  func leave() { typingIn = nil }

  func text(in missionID: UUID) -> Binding<String> {
    Binding(
      get: { self.texts[missionID] ?? "" },
      set: {
        self.texts[missionID] = $0
        if self.problems[missionID] != nil { self.problems[missionID] = nil }
      })
  }

  /// Sends the line once; it is taken away only when it was taken.
  func send(in missionID: UUID, with store: MissionsStore, of interface: Interface) {
    let text = texts[missionID] ?? ""
    guard !sending.contains(missionID) else { return }
    guard !text.trimmed.isEmpty else { return leave() }
    sending.insert(missionID)
    problems[missionID] = nil
    Task.immediate {
      let outcome = await interface.act("What you said") { await store.say(text, in: missionID) }
      sending.remove(missionID)
      if outcome.isDone {
        if texts[missionID] == text { texts[missionID] = nil }
      } else {
        problems[missionID] = outcome.failureSentence
      }
    }
  }
}

/// The line at the foot of a mission: `s` goes into it, Enter sends, Esc leaves.
struct MessageLine: View {
  let missionID: UUID
  let messageDraft: MessageDraft
  /// How many lines of others are further down.
  var unread = 0

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface

  var body: some View {
    let isTyping = messageDraft.typingIn == missionID
    let text = messageDraft.texts[missionID] ?? ""
    VStack(spacing: 0) {
      if let problem = messageDraft.problems[missionID] {
        Paragraph("! \(problem)", .danger).padding(horizontal: 1)
      }
      if isTyping {
        HStack(spacing: 0) {
          Text(messageDraft.sending.contains(missionID) ? " ~ " : " > ", .accent).frame(width: 3)
          TextField(
            text: messageDraft.text(in: missionID),
            placeholder: "say something, \(actions.table.way(to: .submit)) sends", isFocused: true
          ) { messageDraft.send(in: missionID, with: missionsStore, of: interface) }
        }
        .frame(height: 1)
        .onEditing(
          LongText(
            name: "message", id: missionID, text: messageDraft.text(in: missionID),
            limit: TextLimits.line.clusters)
        )
        .onAction(.back) { messageDraft.leave() }
      } else {
        HStack(spacing: 0) {
          Line(
            Span(" \(actions.table.hint(for: MissionActions.say.id)) ", .accent),
            Span(text.isEmpty ? "say something" : text, .dim)
          )
          .onClick { [actions] in actions.perform(MissionActions.say.id) }
          if unread > 0 {
            Text("\(unread) new \(actions.table.way(to: MissionActions.nextUnread.id)) ", .accent)
              .layoutPriority(1)
          }
        }
        .frame(height: 1)
        .showsHints(
          of: [MissionActions.say.id] + (unread > 0 ? [MissionActions.nextUnread.id] : []))
      }
    }
  }
}
