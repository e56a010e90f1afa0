import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// What a person does with a mission.
extension MissionActions {
  // MARK: Membership

  func join(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await interface.act("Joining", { await store.join(mission.id) }).isDone {
        interface.say(OutcomeText.joined(mission), kind: .success)
      }
    }
  }

  func decline(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await interface.act("Declining", { await store.leave(mission.id) }).isDone {
        interface.say("You declined the invitation to \(mission.title).")
      }
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
      Task {
        if await interface.act(
          "Leaving", except: "\(joinKey) comes back", { await store.leave(mission.id) }
        ).isDone {
          interface.say("You left \(mission.title). \(joinKey) comes back.")
        }
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
      Task {
        if await interface.act("Completing", { await store.complete(mission.id) }).isDone {
          interface.say(OutcomeText.completed(mission), kind: .success)
        }
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
      Task {
        if await interface.act("Calling off", { await store.cancel(mission.id) }).isDone {
          interface.say("\(mission.title) is called off.")
        }
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
