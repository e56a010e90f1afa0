import RallyDomain
import RallyEnvironment
import RallyState
import RallyWire
import TerminalKit

/// Which of the first steps wait for a new account.
final class FirstSteps {
  /// Those that are not done, in their order; empty until what friends and shares there are is
  /// known.
  let open: DerivedState<[FirstStep]>
  /// Those that are done by what there is now.
  let done: DerivedState<Set<FirstStep>>

  init(
    social: SocialStore, map: MapStore, sharing: LocationSharingStore,
    invitations: InvitationsStore, memory: InterfaceMemory
  ) {
    let done = { @MainActor in
      var done: Set<FirstStep> = []
      if map.myPosition != nil { done.insert(.place) }
      if !social.friends.isEmpty || !social.outgoingRequests.isEmpty || !invitations.codes.isEmpty {
        done.insert(.friend)
      }
      if (sharing.summary?.sharedCount ?? 0) > 0 || sharing.ghostPhase != nil
        || (sharing.sharing?.general.mode ?? .off) != .off
      {
        done.insert(.sharing)
      }
      return done
    }
    self.done = DerivedState(done)
    open = DerivedState {
      guard social.asOf != nil, sharing.sharing != nil else { return [] }
      let known = memory.doneSteps.union(done())
      return FirstStep.allCases.filter { !known.contains($0) }
    }
  }
}

extension FirstStep {
  /// What its key does.
  var title: String {
    switch self {
    case .place: "say where you are"
    case .friend: "bring in a friend"
    case .sharing: "decide what they see"
    }
  }

  /// The title where all three stand in one row.
  var shortTitle: String {
    switch self {
    case .place: "your place"
    case .friend: "a friend"
    case .sharing: "sharing"
    }
  }

  var note: String {
    switch self {
    case .place: "The city is enough."
    case .friend: "Give them a code."
    case .sharing: "Until then, nothing."
    }
  }

  var action: Action {
    switch self {
    case .place: MapActions.centre.action
    case .friend: .codes
    case .sharing: Action.precision
    }
  }
}

/// The open steps with their keys, beside the map.
struct FirstStepList: View {
  @Environment(\.actions) private var actions
  @Environment(\.firstSteps) private var firstSteps

  var body: some View {
    let open = firstSteps?.open.value ?? []
    if !open.isEmpty {
      VStack(spacing: 0) {
        Text(Self.heading(open.count), .title)
        ForEach(open, id: \.self) { step in
          let action = step.action
          VStack(spacing: 0) {
            Line(Span("\(actions.table.way(to: action)) ", .accent), Span(step.title))
            Text("  \(step.note)", .dim)
          }
          .onClick { [actions] in actions.perform(action.id) }
        }
      }
      .padding(horizontal: 1, vertical: 1)
      .showsHints(of: open.map(\.action.id))
      .layoutPriority(1)
    }
  }

  static func heading(_ count: Int) -> String {
    switch count {
    case 1: "One step is left"
    case 2: "Two steps are left"
    default: "Three steps to begin with"
    }
  }
}

/// The open steps in a row below a map that has no pane beside it, in short words where the long ones
/// do not fit.
struct FirstStepLine: View {
  let width: Int
  @Environment(\.actions) private var actions
  @Environment(\.firstSteps) private var firstSteps

  var body: some View {
    let open = firstSteps?.open.value ?? []
    let title: KeyPath<FirstStep, String> =
      open.reduce(0, { $0 + width(of: $1, \.title) }) <= width ? \.title : \.shortTitle
    let shown = Self.fitting(open, in: width) { width(of: $0, title) }
    if !shown.isEmpty {
      ClickLine(
        shown.flatMap { step in
          let perform: @MainActor () -> Void = { [actions] in actions.perform(step.action.id) }
          return [
            ClickLine.Part(
              Span("  \(actions.table.way(to: step.action)) ", .accent), perform: perform),
            ClickLine.Part(Span(step[keyPath: title]), perform: perform),
          ]
        }
      )
      .frame(height: 1)
      .layoutPriority(1)
      .showsHints(of: shown.map(\.action.id))
    }
  }

  private func width(of step: FirstStep, _ title: KeyPath<FirstStep, String>) -> Int {
    actions.table.way(to: step.action).cellWidth + step[keyPath: title].cellWidth + 3
  }

  /// The first steps that are whole in this many cells.
  private static func fitting(
    _ steps: [FirstStep], in room: Int, width: (FirstStep) -> Int
  ) -> [FirstStep] {
    var used = 0
    return Array(
      steps.prefix { step in
        used += width(step)
        return used <= room
      })
  }
}

extension View {
  /// Notes the steps that are done, so that they stay done.
  func followsFirstSteps() -> some View { FirstStepsFollowing(content: AnyView(self)) }
}

private struct FirstStepsFollowing: View {
  let content: AnyView
  @Environment(\.firstSteps) private var firstSteps
  @Environment(\.interface) private var interface
  @Environment(\.interfaceMemory) private var interfaceMemory

  var body: some View {
    if let firstSteps {
      content
        .onChanges(
          ChangeObserver(firstSteps.done.value) { [interfaceMemory] in
            interfaceMemory.note(done: $1)
          },
          // Who has looked at what friends see has decided, also to leave it as it is.
          ChangeObserver(isSharingOpen) { [interfaceMemory] _, isOpen in
            if !isOpen { interfaceMemory.note(done: [.sharing]) }
          }
        )
        .task { interfaceMemory.note(done: firstSteps.done.value) }
    } else {
      content
    }
  }

  private var isSharingOpen: Bool {
    if case .sharing = interface.overlay { true } else { false }
  }
}

private struct FirstStepsKey: EnvironmentKey {
  /// Outside a session there is nothing to do first.
  static var defaultValue: FirstSteps? { nil }
}

extension EnvironmentValues {
  /// nil outside a session, and in the demo, which has hints of its own.
  var firstSteps: FirstSteps? {
    get { self[FirstStepsKey.self] }
    set { self[FirstStepsKey.self] = newValue }
  }
}
