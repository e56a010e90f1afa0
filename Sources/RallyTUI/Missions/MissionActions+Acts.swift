import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// What a person does with a mission.
extension MissionActions {
  // MARK: Membership

  func join(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await store.join(mission.id).isDone {
        interface.say("You are in \(mission.title).", kind: .success)
      }
    }
  }

  func decline(_ mission: Mission) {
    let store = missionsStore
    Task {
      if await store.leave(mission.id).isDone {
        interface.say("You declined the invitation to \(mission.title).")
      }
    }
  }

  func leave(_ mission: Mission) {
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
        if await store.complete(mission.id).isDone {
          interface.say("\(mission.title) is completed.", kind: .success)
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
        if await store.cancel(mission.id).isDone {
          interface.say("\(mission.title) is called off.")
        }
      }
    }
  }

  // MARK: On my way

  /// Asks before anybody sees the way; ends it without asking.
  func onMyWay(_ mission: Mission) {
    let (sharing, missions) = (locationSharingStore, missionsStore)
    func set(_ readers: [UUID]?, said sentence: String) {
      Task {
        guard await sharing.setOnMyWay(to: mission.id, readers: readers).isDone else { return }
        // The key asks or ends by what this fetches.
        await missions.refreshAll(mode: .refresh)
        interface.say(sentence)
      }
    }
    if isOnMyWay(to: mission) {
      return set(nil, said: "You no longer show the way to \(mission.title).")
    }
    guard sharing.ghostPhase == nil else {
      return interface.say("You are a ghost; nobody is shown your way.")
    }
    guard currentLocationProvider.coordinate == nil else { return askOnMyWay(to: mission, set) }
    interface.say("Looking where you are…")
    Task {
      // Nothing measures before a position is shown to somebody or a map is open.
      if await currentLocationProvider.survey(within: Self.locating).fix == nil {
        interface.say(ActionAvailability.noPosition)
      } else {
        askOnMyWay(to: mission, set)
      }
    }
  }

  private func askOnMyWay(
    to mission: Mission, _ set: @escaping ([UUID]?, _ sentence: String) -> Void
  ) {
    let offer = OnMyWayOffer(to: mission, from: viewModel.me, at: viewModel.now)
    let names = Self.namesInQuestion
    interface.question = Question(
      id: Self.onMyWay.id, title: "Show the way to \(mission.title)?",
      consequences: offer.sentences(limit: names) { LocalTime.end($0, at: viewModel.now) },
      verb: "Show it", safeVerb: "Not now"
    ) {
      set(offer.readers.map(\.userID), "You are on your way to \(mission.title).")
    }
  }

  /// How long sources may take to say where I am.
  private static var locating: Duration { .seconds(10) }

  func isOnMyWay(to mission: Mission) -> Bool {
    missionsStore.coming.contains {
      $0.missionID == mission.id && $0.userID == viewModel.me && $0.isOnTheWay(at: viewModel.now)
    }
  }

  /// Names that fit into the question; the others are counted.
  private static var namesInQuestion: Int { 12 }

  // MARK: Check-in

  func checkIn(_ mission: Mission) {
    guard let objective = mission.objective(selectedBy: viewState.row) else { return }
    let store = missionsStore
    Task.immediate { await store.checkIn(objective.id, of: mission.id) }
  }

  func retry(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id { Task { await missionsStore.retry(id) } }
  }

  func drop(_ mission: Mission) {
    if let id = pendingCheckIn(of: mission)?.id { Task { await missionsStore.drop(id) } }
  }
}
