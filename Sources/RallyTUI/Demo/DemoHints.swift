import RallyDomain
import TerminalKit

/// The four hints of a demo, shown one after another.
struct DemoHints: Hashable {
  /// How long each hint is shown.
  static let pace = Duration.seconds(11)

  private(set) var index = 0

  /// The current hint; nil when all were shown.
  ///
  /// - Parameter key: The key of an action, or its command if it has none.
  func sentence(key: (ActionID) -> String) -> String? {
    switch index {
    case 0:
      "Your friends are on the map: \(key(MapActions.nextPin.id)) goes from one to the next, "
        + "\(key(MapActions.open.id)) comes near."
    case 1:
      "\(key(GlobalActions.tabFriends.id)) is Friends: somebody wants to be friends. \(key(PersonActions.accept.id)) accepts."
    case 2:
      "\(key(GlobalActions.tabMissions.id)) is Missions: things to do together. One of them is near you."
    case 3:
      "You decide who sees you: \(key(GlobalActions.precision.id)) how much, \(key(GlobalActions.ghost.id)) not at all. "
        + "\(key(ProgramActions.help.id)) lists all keys."
    default: nil
    }
  }

  mutating func goOn() { index += 1 }
}

/// The current hint, as a line above the status row.
struct DemoHintLine: View {
  @Environment(\.actions) private var actions
  @Environment(\.demoStatus) private var demoStatus
  @State private var hints = DemoHints()

  var body: some View {
    let sentence = hints.sentence { id in
      actions.table.hint(for: id)
    }
    Group {
      if let sentence {
        Line(Span(" demo ", .accent.reverse), Span(" \(sentence)", .accent))
          .frame(maxWidth: .max)
      }
    }
    .task(id: hints.index) {
      let pace = demoStatus?.hintPace ?? DemoHints.pace
      guard sentence != nil, (try? await DispatchSleep.for(pace)) != nil else { return }
      hints.goOn()
    }
  }
}
