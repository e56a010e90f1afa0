import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The actions of the Missions tab and of its selected mission; draws nothing.
struct MissionActions: View {
  let viewModel: MissionsViewModel
  let viewState: MissionsViewState
  let openedID: UUID?

  @Environment(\.actions) var actions
  @Environment(\.missionsStore) var missionsStore
  @Environment(\.mapStore) var mapStore
  @Environment(\.locationSharingStore) var locationSharingStore
  @Environment(\.currentLocationProvider) var currentLocationProvider
  @Environment(\.navigationService) var navigationService
  @Environment(\.interface) var interface
  @Environment(\.invitationsStore) var invitationsStore
  @Environment(\.socialStore) var socialStore

  var body: some View {
    let marked = marked
    let mission = mission
    EmptyView()
      .actions(Self.all, in: context(mission, isMarking: !marked.isEmpty))
      .onCopy(disabled: mission == nil ? "No mission is selected." : nil) {
        self.mission.map(Clipping.init)
      }
    if openedID == nil {
      let missions = viewModel.missions
      if !marked.isEmpty {
        MissionBulkActions(marks: interface.missionMarks, missions: marked, viewModel: viewModel)
      }
      MarkActions(
        marks: interface.missionMarks,
        rows: RowOrder(
          count: missions.count, id: { missions[$0].id },
          position: { id in missions.firstIndex { $0.id == id } }),
        selection: viewState.selection(in: viewModel.section))
    }
  }

  /// Those that are marked, in the order of the lists; none while one is open.
  private var marked: [Mission] {
    let ids = interface.missionMarks.ids
    guard !ids.isEmpty, openedID == nil else { return [] }
    return missionsStore.knownMissions.filter { ids.contains($0.id) }
  }

  func inviteFriends(to mission: Mission) {
    invitationsStore.openMissionCode(for: mission.id)
    interface.overlay = .inviteFriends(mission.id)
  }

  /// Read in the body and when a key is pressed.
  var mission: Mission? {
    // The first one until the list has selected any, for a key that comes right after it.
    let id = openedID ?? viewState.selections[viewModel.section] ?? viewModel.missions.first?.id
    return id.flatMap { missionsStore.mission($0) }
  }

  /// What the conditions of the actions read, looked up once for all of them.
  struct Context {
    let view: MissionActions
    let mission: Mission?
    let rules: ActionAvailability?
    let objective: ObjectiveRecord?
    let pending: PendingCheckIn?
    let isMarking: Bool

    @MainActor var isOpened: Bool { view.openedID != nil }
    @MainActor var isInvited: Bool {
      mission?.myState == .invited && mission?.phase(at: view.viewModel.now).isOpen == true
    }
    /// Whether a check-in at the objective was not taken.
    @MainActor var hasFailed: Bool {
      isOpened && pending.map { $0.status != .sending } ?? false
    }
  }

  private func context(_ mission: Mission?, isMarking: Bool) -> Context {
    Context(
      view: self, mission: mission, rules: mission.map { ActionAvailability($0, viewModel) },
      objective: mission.flatMap { $0.objective(selectedBy: viewState.row) },
      pending: mission.flatMap { pendingCheckIn(of: $0) }, isMarking: isMarking)
  }

  func compose(_ missionID: UUID?) {
    interface.overlay = .compose(missionID: missionID, place: nil)
  }

  func open(_ mission: Mission) {
    viewState.row = nil
    navigationService.push(.mission(mission.id))
  }

  func showOnMap(_ mission: Mission) {
    mapStore.showMission(mission)
    navigationService.select(.map)
  }

  /// Selects the next line that is new, or the next mission with one.
  func goToUnread() {
    guard let next = nextUnread else { return }
    switch next {
    case .line(let id): viewState.row = .activity(id)
    case .mission(let id) where openedID != nil || id == mission?.id:
      viewState.row = nil
      navigationService.showMission(id)
    case .mission(let id):
      guard let section = viewModel.section(of: id) else { return }
      navigationService.missionsSection = section
      viewState.selections[section] = id
    }
  }

  var nextUnread: NextUnread? {
    NextUnread(
      in: viewModel, after: mission?.id, row: viewState.row,
      lines: openedID.flatMap { missionsStore.feeds[$0]?.lines } ?? [],
      mark: openedID.flatMap { id in
        viewState.talkMark(
          of: id, isOpened: true, seenUpTo: missionsStore.seenUpTo(id), now: .now)
      })
  }

  /// The latest check-in at the selected objective that the server does not have.
  func pendingCheckIn(of mission: Mission) -> PendingCheckIn? {
    let objective = mission.objective(selectedBy: viewState.row)
    return viewModel.pending.last { $0.missionID == mission.id && $0.objectiveID == objective?.id }
  }
}

/// What a person does with a mission.
extension MissionActions {
  // MARK: Membership

  func join(_ mission: Mission) {
    let store = missionsStore
    interface.start("Joining", saying: OutcomeText.joined(mission), kind: .success) {
      await store.join(mission.id)
    }
  }

  func decline(_ mission: Mission) {
    let store = missionsStore
    interface.start("Declining", saying: "You declined the invitation to \(mission.title).") {
      await store.leave(mission.id)
    }
  }

  func leave(_ mission: Mission) {
    let others = mission.memberCount - 1
    let store = missionsStore
    let joinKey = actions.table.way(to: Self.join.id)
    interface.question = Question(
      id: Self.leave.id, title: "Leave \(mission.title)?",
      consequences: [
        others == 1 ? "The other member stays." : "The other \(others) members stay.",
        "Your check-ins stay, and you can come back while there is room.",
      ],
      verb: "Leave", safeVerb: "Stay"
    ) {
      interface.start(
        "Leaving", except: "\(joinKey) comes back",
        saying: "You left \(mission.title). \(joinKey) comes back."
      ) {
        await store.leave(mission.id)
      }
    }
  }

  func say(_ mission: Mission) {
    // On a narrow screen the message line is part of the opened mission.
    if openedID == nil { navigationService.push(.mission(mission.id)) }
    viewState.messageDraft.begin(in: mission.id)
  }

  // MARK: Ending it

  func complete(_ mission: Mission) {
    let progress = mission.record.progress
    let store = missionsStore
    interface.question = Question(
      id: Self.complete.id, title: "Complete \(mission.title)?",
      consequences: [
        progress.of > progress.done
          ? "\(progress.done) of \(progress.of) are done; it ends as completed for everybody."
          : "It ends as completed for everybody.",
        "It cannot be opened again.",
      ],
      verb: "Complete", safeVerb: "Not yet"
    ) {
      interface.start("Completing", saying: OutcomeText.completed(mission), kind: .success) {
        await store.complete(mission.id)
      }
    }
  }

  func cancel(_ mission: Mission) {
    let store = missionsStore
    interface.question = Question(
      id: Self.cancel.id, title: "Call off \(mission.title)?",
      consequences: [
        "It ends now for all members; activity and messages can still be read.",
        "It cannot be opened again.",
      ],
      verb: "Call off", safeVerb: "Keep"
    ) {
      interface.start("Calling off", saying: "\(mission.title) is called off.") {
        await store.cancel(mission.id)
      }
    }
  }

  // MARK: On the way

  var onMyWayActs: OnMyWayActs {
    OnMyWayActs(
      sharing: locationSharingStore, missions: missionsStore, provider: currentLocationProvider,
      interface: interface, me: viewModel.me, now: viewModel.now)
  }

  /// Why the map cannot show who comes.
  func frameObstacle(_ mission: Mission) -> String? {
    mapStore.frameObstacle(mission, missionsStore.coming, at: viewModel.now)
  }

  func frame(_ mission: Mission) {
    mapStore.frame(mission.id)
    navigationService.select(.map)
  }

  /// Asks the friends in it who have not arrived where they are.
  func askAll(_ mission: Mission) {
    let (social, interface) = (socialStore, interface)
    let ask = MissionAsk(
      in: mission, by: viewModel.me, friends: social.friends, coming: missionsStore.coming,
      asks: social.locationAsks, at: .now)
    Task {
      let outcome = await interface.history.act("A question", isDone: { !$0.done.isEmpty }) {
        await social.askLocations(of: ask.asked)
      }
      let failure = outcome.failures.first.map { " \($0.subject.handle): \($0.sentence)" } ?? ""
      interface.say(
        ask.sentence(asked: outcome.done.count) + failure,
        kind: !failure.isEmpty ? .failure : outcome.done.isEmpty ? .information : .success)
    }
  }

  // MARK: Check-in

  func checkIn(_ mission: Mission) {
    guard let objective = mission.objective(selectedBy: viewState.row) else { return }
    let store = missionsStore
    Task.immediate {
      interface.history.close("A check-in")
      await store.checkIn(objective.id, of: mission.id)
    }
  }

  func retry(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id {
      interface.history.close("A check-in")
      Task { await missionsStore.retry(id) }
    }
  }

  func drop(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id {
      interface.history.close("Forgetting a check-in")
      Task { await missionsStore.drop(id) }
    }
  }
}

extension MissionsStore {
  /// Each mission of any list once: mine first, then nearby ones and past ones.
  var knownMissions: [Mission] {
    var known: Set<Mission.ID> = []
    return (active + nearby + done).filter { known.insert($0.id).inserted }
  }
}
