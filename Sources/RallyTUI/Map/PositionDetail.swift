import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// A friend, and everything that they let one know of where they are.
struct PositionDetail: View {
  let position: FriendPosition
  let now: WireTime

  @Environment(\.socialStore) private var socialStore

  var body: some View {
    VStack(spacing: 0) {
      Text(position.profile.displayName, .title)
      Text(position.profile.handle, .dim)
      ForEach(questions, id: \.self) { Text($0, .accent) }
      PositionFacts(position: position, now: now)
    }
    .padding(horizontal: 1)
  }

  private var questions: [String] {
    socialStore.entries(for: [position.profile]).flatMap { $0.shortQuestions(at: now) }
  }
}
