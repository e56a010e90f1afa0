import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// Offers what can be done with the selected mission, by how it stands to me; takes no room.
struct MissionActions: View {
  let scene: MissionsViewModel
  let look: MissionsViewState
  let openedID: UUID?

  @Environment(\.actions) private var catalog
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface

  var body: some View {
    let marked = marked
    EmptyView()
      .onActions(general + (mission.map(actions) ?? []).filter { isOffered($0, marked) })
      .onCopy(disabled: mission == nil ? "No mission is selected." : nil) {
        mission.map(Clipping.init)
      }
    if openedID == nil {
      let missions = scene.missions
      if !marked.isEmpty {
        MissionBulkActions(marks: interface.missionMarks, missions: marked, scene: scene)
      }
      MarkActions(
        marks: interface.missionMarks,
        rows: RowOrder(
          count: missions.count, id: { missions[$0].id },
          position: { id in missions.firstIndex { $0.id == id } }),
        selection: look.selection(in: scene.section))
    }
  }

  /// Those that are marked, in the order of the lists; none while one is open.
  private var marked: [Mission] {
    let ids = interface.missionMarks.ids
    guard !ids.isEmpty, openedID == nil else { return [] }
    return missionsStore.knownMissions.filter { ids.contains($0.id) }
  }

  /// With many marked, acts that would be done with the selected one alone are not offered.
  private func isOffered(_ handler: ActionHandler, _ marked: [Mission]) -> Bool {
    guard !marked.isEmpty else { return true }
    return [.missionsOpen, .missionsOnMap].contains(handler.id)
  }

  /// Read in the body and when a key acts.
  private var mission: Mission? {
    let id = openedID ?? look.selections[scene.section]
    return id.flatMap { missionsStore.mission($0) }
  }

  private var general: [ActionHandler] {
    var actions = [
      ActionHandler(.missionsCompose) {
        interface.overlay = .compose(missionID: nil, place: nil)
      }
    ]
    if scene.section == .nearby {
      let hasPlace = scene.nearbyState != .noPosition
      actions.append(
        ActionHandler(
          .missionsWider, disabled: hasPlace ? nil : "Say where you are first: :here Lisbon"
        ) { Task { await missionsStore.widenNearby() } })
    }
    return actions
  }

  private func actions(for mission: Mission) -> [ActionHandler] {
    let rules = ActionAvailability(mission, scene)
    func act(
      _ id: ActionID, _ disabled: String?, _ run: @escaping @MainActor (Mission) -> Void
    ) -> ActionHandler {
      // The mission as it is when the key is pressed.
      ActionHandler(id, disabled: disabled) { if let mission = self.mission { run(mission) } }
    }
    var actions = [
      act(.missionsOnMap, nil) {
        mapStore.showMission($0)
        navigationService.select(.map)
      },
      act(.missionsJoin, rules.join, join),
      act(.missionsLeave, rules.leave, leave),
      act(.missionsInvite, rules.invite) { interface.overlay = .inviteFriends($0.id) },
      act(.missionsSay, rules.say, say),
      act(.missionsEdit, rules.edit) {
        interface.overlay = .compose(missionID: $0.id, place: nil)
      },
      act(.missionsComplete, rules.complete, complete),
      act(.missionsCancel, rules.complete, cancel),
    ]
    if mission.myState == .invited, mission.phase(at: scene.now).isOpen {
      actions += [act(.missionsAccept, rules.join, join), act(.missionsDecline, nil, decline)]
    }
    guard openedID != nil else {
      return actions + [
        act(.missionsOpen, nil) {
          look.row = nil
          navigationService.push(.mission($0.id))
        }
      ]
    }
    let objective = selectedObjective(of: mission)
    actions.append(
      act(.missionsCheckIn, rules.checkIn(at: objective)) { mission in
        if let objective = selectedObjective(of: mission) { checkIn(objective, mission) }
      })
    if let pending = pending(for: objective, of: mission), pending.standing != .sending {
      actions += [
        act(.missionsRetry, nil) { _ in Task { await missionsStore.retry(pending.id) } },
        act(.missionsDrop, nil) { _ in Task { await missionsStore.drop(pending.id) } },
      ]
    }
    return actions
  }

  private func selectedObjective(of mission: Mission) -> ObjectiveRecord? {
    guard let row = look.row else { return mission.objectives.first { !$0.isDone } }
    guard case .objective(let id) = row else { return nil }
    return mission.objectives.first { $0.id == id }
  }

  private func pending(for objective: ObjectiveRecord?, of mission: Mission) -> PendingCheckIn? {
    scene.pending.last { $0.missionID == mission.id && $0.objectiveID == objective?.id }
  }

  // MARK: Being in it

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
    let joinKey = catalog.table.way(to: .missionsJoin)
    interface.question = Question(
      id: .missionsLeave, title: "Leave \(mission.title)?",
      consequences: [
        others == 1 ? "The other one stays in it." : "The other \(others) stay in it.",
        "What you checked in at stays, and you can come back while there is a place.",
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
    // On a narrow screen the line stands in the mission.
    if openedID == nil { navigationService.push(.mission(mission.id)) }
    look.speech.begin(in: mission.id)
  }

  // MARK: Ending it

  private func complete(_ mission: Mission) {
    let progress = mission.record.progress
    let store = missionsStore
    interface.question = Question(
      id: .missionsComplete, title: "Complete \(mission.title)?",
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
      id: .missionsCancel, title: "Call off \(mission.title)?",
      consequences: [
        "It ends now for everybody in it; what was done and said can still be read.",
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

  private func checkIn(_ objective: ObjectiveRecord, _ mission: Mission) {
    let store = missionsStore
    let look = look
    let act: @MainActor () -> Void = {
      look.isCheckInExplained = true
      Task.immediate { await store.checkIn(objective.id, of: mission.id) }
    }
    guard !look.isCheckInExplained, !hasCheckedIn else { return act() }
    interface.question = Question(
      id: .missionsCheckIn, title: "Check in at \(objective.title)?",
      consequences: [
        "The members will see that you were at \(objective.title), and when.",
        "Your position is compared with the place and then forgotten.",
      ],
      verb: "Check in", safeVerb: "Not now", act: act)
  }

  /// Whoever has done it before knows what it tells.
  private var hasCheckedIn: Bool {
    guard let me = scene.me else { return false }
    return (scene.active + scene.done).contains { mission in
      mission.objectives.contains { $0.lastBy?.wrappedValue == me }
    }
  }
}
