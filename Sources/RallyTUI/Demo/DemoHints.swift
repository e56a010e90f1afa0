import Observation
import RallyDomain
import RallySystem
import TerminalKit

/// The four hints of a visit to the demo: each stands from when it is true until what it names was
/// done, or all of them were shown.
@Observable
final class DemoHints {
  /// After this long a hint goes on although what it names was not done.
  static let pace = Duration.seconds(60)

  private(set) var index = 0
  /// The most requests that waited at a time: fewer mean that one was answered.
  @ObservationIgnored private var mostRequests = 0
  /// Whether nobody has asked yet.
  private var isUnasked = true

  /// The hint that stands now; nil when all were shown, and while the next is not true yet.
  var shown: Int? { index > 3 || index == 1 && isUnasked ? nil : index }

  /// The hint that stands now, nil for none.
  ///
  /// - Parameter key: The key of an action, or its command if it has none.
  func sentence(key: (ActionID) -> String) -> String? {
    switch shown {
    case 0:
      "Your friends are on the map: \(key(MapActions.nextPin.id)) goes from one to the next, "
        + "\(key(MapActions.open.id)) comes near."
    case 1:
      "\(key(Action.tabFriends.id)) is Friends: somebody wants to be friends. \(key(PersonActions.accept.id)) accepts."
    case 2:
      "\(key(Action.tabMissions.id)) is Missions: things to do together. One of them is near you."
    case 3:
      "You decide who sees you: \(key(Action.precision.id)) how much, \(key(Action.ghost.id)) not at all. "
        + "\(key(ProgramActions.help.id)) lists all keys."
    default: nil
    }
  }

  /// The current hint was shown long enough, or what it names was done.
  func goOn() { index += 1 }

  /// Goes on if what the current hint names is done.
  func follow(_ acts: DemoActs) {
    mostRequests = max(mostRequests, acts.requests)
    if isUnasked, mostRequests > 0 { isUnasked = false }
    let done = [
      acts.hasSelectedFriend, acts.requests < mostRequests, acts.isOnMissions, acts.hasSharing,
    ]
    if done.indices.contains(index), done[index] { goOn() }
  }
}

/// What a visitor does of what the hints name, in their order.
struct DemoActs: Hashable {
  var hasSelectedFriend: Bool
  /// Requests that wait for an answer.
  var requests: Int
  var isOnMissions: Bool
  var hasSharing: Bool
}

/// The current hint above the status row, on as many lines as it needs.
struct DemoHintLine: View {
  @Environment(\.actions) private var actions
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let sentence = demoStatus?.hints.sentence { id in actions.table.hint(for: id) }
    if let sentence {
      let lines = sentence.wrapped(toCells: max(1, terminalSize.width - Self.lead.cellWidth - 1))
      VStack(spacing: 0) {
        ForEach(Array(lines.enumerated()), id: \.offset) { line in
          Line(
            line.offset == 0
              ? Span(Self.lead, .accent.reverse)
              : Span(String(repeating: " ", count: Self.lead.cellWidth)),
            Span(" \(line.element)", .accent)
          )
          .frame(maxWidth: .max)
        }
      }
      .layoutPriority(1)
    }
  }

  private static let lead = " demo "
}

extension View {
  /// Lets the hints of a demo go on with what the visitor does.
  func followsDemoHints() -> some View { DemoHintsFollowing(content: AnyView(self)) }
}

/// Around the frame, which is drawn anew at another size: the hints go on as they were.
private struct DemoHintsFollowing: View {
  let content: AnyView
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.interface) private var interface
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore

  var body: some View {
    if let demoStatus {
      let hints = demoStatus.hints
      content
        .onChanges(
          ChangeObserver(Following(index: hints.index, acts: acts)) { _, new in
            hints.follow(new.acts)
          }
        )
        .task(id: hints.shown) {
          guard hints.shown != nil else { return }
          let isLeft = (try? await DispatchSleep.for(demoStatus.hintPace)) == nil
          if !isLeft { hints.goOn() }
        }
    } else {
      content
    }
  }

  /// A hint that comes when its thing is done already goes on too.
  private struct Following: Equatable {
    var index: Int
    var acts: DemoActs
  }

  private var acts: DemoActs {
    DemoActs(
      hasSelectedFriend: mapStore.selectedID != nil,
      requests: socialStore.incomingRequests.count,
      isOnMissions: navigationService.selectedTab == .missions,
      hasSharing: isSharingOpen || locationSharingStore.ghostPhase != nil)
  }

  private var isSharingOpen: Bool {
    if case .sharing = interface.overlay { true } else { false }
  }
}
