import RallyDomain
import TerminalKit

/// What a newcomer is told in a demo: four hints, one after another, then nothing more.
struct DemoHints: Hashable {
  /// How long each one stands.
  static let pace = Duration.seconds(11)

  private(set) var index = 0

  /// The hint of the moment; nil when all were shown.
  ///
  /// - Parameter key: What the person presses for an act, or its name.
  func sentence(key: (ActionID) -> String) -> String? {
    switch index {
    case 0:
      "Your friends are on the map: \(key(MapActions.nextPin.id)) goes from one to the next, "
        + "\(key(MapActions.open.id)) comes near."
    case 1:
      "\(key(GlobalActions.tabFriends.id)) is Friends: somebody asks to be yours. \(key(PersonActions.accept.id)) accepts."
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

/// The hint of the moment as a line of its own over the status row.
struct DemoHintLine: View {
  @Environment(\.actions) private var actions
  @Environment(\.demoStatus) private var standing
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
      let pace = standing?.hintPace ?? DemoHints.pace
      guard sentence != nil, (try? await DispatchSleep.for(pace)) != nil else { return }
      hints.goOn()
    }
  }
}
