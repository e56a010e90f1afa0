import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// The actions of the Missions tab and of its selected mission; draws nothing.
struct MissionActions: View {
  let viewModel: MissionsViewModel
  let viewState: MissionsViewState
  let openedID: UUID?

  @Environment(\.actions) private var catalog
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface

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

  /// Read in the body and when a key is pressed.
  private var mission: Mission? {
    let id = openedID ?? viewState.selections[viewModel.section]
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

  private func compose(_ missionID: UUID?) {
    interface.overlay = .compose(missionID: missionID, place: nil)
  }

  private func open(_ mission: Mission) {
    viewState.row = nil
    navigationService.push(.mission(mission.id))
  }

  private func showOnMap(_ mission: Mission) {
    mapStore.showMission(mission)
    navigationService.select(.map)
  }

  /// Selects the next line that is new, or the next mission with one.
  private func goToUnread() {
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

  fileprivate var nextUnread: NextUnread? {
    NextUnread(
      in: viewModel, after: mission?.id, row: viewState.row,
      lines: openedID.flatMap { missionsStore.feeds[$0]?.lines } ?? [],
      mark: openedID.flatMap { id in
        viewState.talkMark(
          of: id, isOpened: true, seenUpTo: missionsStore.seenUpTo(id), now: .now)
      })
  }

  /// The latest check-in at the selected objective that the server does not have.
  private func pendingCheckIn(of mission: Mission) -> PendingCheckIn? {
    let objective = mission.objective(selectedBy: viewState.row)
    return viewModel.pending.last { $0.missionID == mission.id && $0.objectiveID == objective?.id }
  }

  private func retry(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id { Task { await missionsStore.retry(id) } }
  }

  private func drop(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id { Task { await missionsStore.drop(id) } }
  }

  // MARK: Membership

  private func join(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await store.join(mission.id).isDone {
        interface.say("You are in \(mission.title).", kind: .success)
      }
    }
  }

  private func decline(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await store.leave(mission.id).isDone {
        interface.say("You declined the invitation to \(mission.title).")
      }
    }
  }

  private func leave(_ mission: Mission) {
    let others = mission.memberCount - 1
    let store = missionsStore
    let joinKey = catalog.table.way(to: Self.join.id)
    interface.question = Question(
      id: Self.leave.id, title: "Leave \(mission.title)?",
      consequences: [
        others == 1 ? "The other member stays." : "The other \(others) members stay.",
        "Your check-ins stay, and you can come back while there is room.",
      ],
      verb: "Leave", safeVerb: "Stay"
    ) {
      Task {
        if await store.leave(mission.id).isDone {
          interface.say("You left \(mission.title). \(joinKey) comes back.")
        }
      }
    }
  }

  private func say(_ mission: Mission) {
    // On a narrow screen the message line is part of the opened mission.
    if openedID == nil { navigationService.push(.mission(mission.id)) }
    viewState.messageDraft.begin(in: mission.id)
  }

  // MARK: Ending it

  private func complete(_ mission: Mission) {
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
      Task {
        if await store.complete(mission.id).isDone {
          interface.say("\(mission.title) is completed.", kind: .success)
        }
      }
    }
  }

  private func cancel(_ mission: Mission) {
    let store = missionsStore
    interface.question = Question(
      id: Self.cancel.id, title: "Call off \(mission.title)?",
      consequences: [
        "It ends now for all members; activity and messages can still be read.",
        "It cannot be opened again.",
      ],
      verb: "Call off", safeVerb: "Keep"
    ) {
      Task {
        if await store.cancel(mission.id).isDone {
          interface.say("\(mission.title) is called off.")
        }
      }
    }
  }

  // MARK: Check-in

  private func checkIn(_ mission: Mission) {
    guard let objective = mission.objective(selectedBy: viewState.row) else { return }
    let store = missionsStore
    Task.immediate { await store.checkIn(objective.id, of: mission.id) }
  }
}

nonisolated extension MissionActions {
  static let open = selected(
    id: "missions.open", name: "open-mission", title: "open",
    summary: "Go into the mission: its objectives and what happened.", keys: ["Enter"], footer: 300,
    whileMarking: true, shown: { !$0.isOpened }, run: { $0.open($1) })
  static let checkIn = selected(
    id: "missions.check-in", summary: "Tell the members that you are at the selected objective.",
    keys: ["Enter"], footer: 200, shown: { $0.isOpened },
    disabled: { $0.rules?.checkIn(at: $0.objective) }, run: { $0.checkIn($1) })
  static let accept = selected(
    id: "missions.accept", name: "accept-invitation", title: "accept",
    summary: "Accept the invitation and join the mission.", keys: ["a"], footer: 210,
    shown: { $0.isInvited }, disabled: { $0.rules?.join }, run: { $0.join($1) })
  static let decline = selected(
    id: "missions.decline", name: "decline-invitation", title: "decline",
    summary: "Decline the invitation.", keys: ["x"], footer: 220, shown: { $0.isInvited },
    run: { $0.decline($1) })
  static let join = selected(
    id: "missions.join", summary: "Join the mission.", keys: ["J"], footer: 310,
    disabled: { $0.rules?.join }, run: { $0.join($1) })
  static let say = selected(
    id: "missions.say", summary: "Say something to the members.", keys: ["s"], footer: 320,
    disabled: { $0.rules?.say }, run: { $0.say($1) })
  static let nextUnread = FeatureAction<Context>(
    id: "missions.next-unread", name: "next-unread", title: "unread",
    summary: "Select the next line that is new, or the next mission with one.", keys: ["n"],
    section: "Missions", footer: 295,
    disabled: { $0.view.nextUnread == nil ? "You have read all of it." : nil },
    run: { $0.view.goToUnread() })
  static let showOnMap = selected(
    id: "missions.on-map", name: "mission-on-map", title: "map",
    summary: "Show where the mission is.", keys: ["o"], footer: 340, whileMarking: true,
    run: { $0.showOnMap($1) })
  static let card = selected(
    id: "missions.card", summary: "Show what became of the mission: who did what, when, how far.",
    keys: ["C"], footer: 305, shown: { $0.mission?.state == .completed },
    run: { $0.interface.overlay = .missionCard($1.id) })
  static let invite = selected(
    id: "missions.invite", name: "invite-friends", title: "invite",
    summary: "Invite friends to the mission.", keys: ["i"], footer: 360,
    disabled: { $0.rules?.invite }, run: { $0.interface.overlay = .inviteFriends($1.id) })
  static let members = selected(
    id: "missions.members", summary: "Show the members' profiles, and ask one to be friends.",
    keys: ["M"], run: { $0.interface.overlay = .members($1.id) })
  static let wider = FeatureAction<Context>(
    id: "missions.wider", summary: "Look for missions twice as far away.", keys: ["w"],
    section: "Missions", footer: 330, shown: { $0.view.viewModel.section == .nearby },
    disabled: {
      switch $0.view.viewModel.nearbyState {
      case .noPosition: "Say where you are first: :here Lisbon"
      case .heldBack: "Your zones or hours hold back where you are; :zone lists them."
      case .within: nil
      }
    }, run: { context in Task { await context.view.missionsStore.widenNearby() } })
  static let leave = selected(
    id: "missions.leave", name: "leave-mission", title: "leave",
    summary: "Leave the mission; asks first.", keys: ["L"], disabled: { $0.rules?.leave },
    run: { $0.leave($1) })
  static let complete = selected(
    id: "missions.complete",
    summary: "End a mission that you made as done, for everybody; asks first.", keys: ["E"],
    disabled: { $0.rules?.complete }, run: { $0.complete($1) })
  static let cancel = selected(
    id: "missions.cancel", name: "cancel-mission", title: "cancel",
    summary: "Call off a mission that you made, for everybody; asks first.", keys: ["x"],
    disabled: { $0.rules?.complete }, run: { $0.cancel($1) })
  static let compose = FeatureAction<Context>(
    id: "missions.compose", title: "new",
    summary: "Write a new mission; one that was begun is found again.", keys: ["c"],
    section: "Missions", otherSections: ["Map"], footer: 350, run: { $0.view.compose(nil) })

  /// Of the available actions with the same key, the last one performs.
  static let all: [FeatureAction<Context>] = [
    open, checkIn, join, say, nextUnread,
    showOnMap, card, invite, members, wider,
    selected(
      id: "missions.edit", name: "edit-mission", title: "edit",
      summary: "Change a mission that you made.", keys: ["e"], disabled: { $0.rules?.edit },
      run: { $0.compose($1.id) }),
    leave, complete, cancel, compose, accept, decline,
    selected(
      id: "missions.retry", title: "try again",
      summary: "Send the check-in again that was not taken.", keys: ["r"], footer: 180,
      shown: { $0.hasFailed }, run: { $0.retry($1) }),
    selected(
      id: "missions.drop", summary: "Forget the check-in that was not taken.", keys: ["x"],
      footer: 190, shown: { $0.hasFailed }, run: { $0.drop($1) }),
  ]

  /// An action on the selected mission, as it is when the key is pressed.
  ///
  /// - Parameter whileMarking: Whether it still is done with the selected mission alone while several
  ///   are marked; of the others `MissionBulkActions` takes the keys.
  private static func selected(
    id: ActionID, name: String? = nil, title: String? = nil, summary: String,
    keys: [KeySequence],
    footer: FooterPlace? = nil, whileMarking: Bool = false,
    shown: @escaping FeatureAction<Context>.Condition<Bool> = { _ in true },
    disabled: @escaping FeatureAction<Context>.Condition<String?> = { _ in nil },
    run: @escaping @MainActor (MissionActions, Mission) -> Void
  ) -> FeatureAction<Context> {
    FeatureAction(
      id: id, name: name, title: title, summary: summary, keys: keys, section: "Missions",
      footer: footer,
      shown: { $0.mission != nil && (whileMarking || !$0.isMarking) && shown($0) },
      disabled: disabled
    ) { if let mission = $0.view.mission { run($0.view, mission) } }
  }
}
