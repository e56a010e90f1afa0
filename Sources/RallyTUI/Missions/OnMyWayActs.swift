import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// Showing the way to a mission and ending that, from its screen and from its pin on the map.
@MainActor
struct OnMyWayActs {
  let sharing: LocationSharingStore
  let missions: MissionsStore
  let provider: CurrentLocationProvider
  let interface: Interface
  /// Me; nil before it is known.
  let me: UUID?
  let now: WireTime

  func isOn(theWayTo mission: Mission) -> Bool {
    missions.coming.contains {
      $0.missionID == mission.id && $0.userID == me && $0.isOnTheWay(at: now)
    }
  }

  /// Asks before anybody sees the way; ends it without asking.
  func toggle(_ mission: Mission) {
    if isOn(theWayTo: mission) {
      return set(nil, of: mission, said: "You no longer show the way to \(mission.title).")
    }
    guard sharing.ghostPhase == nil else {
      return interface.say("You are a ghost; nobody is shown your way.")
    }
    guard provider.coordinate == nil else { return ask(mission) }
    interface.say("Looking where you are…")
    Task {
      // Nothing measures before a position is shown to somebody or a map is open.
      if await provider.survey(within: Self.locating).fix == nil {
        interface.say(ActionAvailability.noPosition)
      } else {
        ask(mission)
      }
    }
  }

  /// Says that a live mission has started, and how to open the question.
  ///
  /// - Parameters:
  ///   - key: That of the mission's own screen.
  ///   - questionKey: That of every screen while the question waits.
  func askAtStart(of mission: Mission, key: String, questionKey: String) {
    interface.wait(
      with: WaitingQuestion(
        id: "start \(mission.id)",
        isStill: {
          sharing.ghostPhase == nil && missions.liveMissions.contains { $0.id == mission.id }
        },
        open: {
          ask(
            mission, title: "Say that you are on your way?",
            because: ["\(mission.title) has started."])
        }),
      saying:
        "“\(mission.title)” has started. \(key) in it, or \(questionKey), says that you are on "
        + "your way.")
  }

  /// Says that others joined since, who see nothing of the way without an answer.
  ///
  /// - Parameter questionKey: Opens the question.
  func offer(to later: LaterJoiners, questionKey: String) {
    let title = later.mission.title
    let names = later.members.prefix(Self.namesInQuestion).map { "@\($0.username)" }
    let rest = later.members.count - names.count
    let who = names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let fact = "\(who) joined “\(title)” and \(later.members.count == 1 ? "does" : "do") not see"
    interface.wait(
      with: WaitingQuestion(
        id: "later \(later.mission.id)", isStill: { isOn(theWayTo: later.mission) },
        open: {
          ask(
            later.mission, readers: later.readerIDs.union(later.members.map(\.userID)),
            title: "Show them the way too?", because: ["\(fact) that you are on your way."]
          ) { isOn(theWayTo: later.mission) }
        }),
      saying: "\(fact) your way. \(questionKey) asks whether to show it to them.")
  }

  /// - Parameters:
  ///   - readers: nil for everybody who is in the mission.
  ///   - isStill: Whether it is still to be shown when the answer comes.
  private func ask(
    _ mission: Mission, readers: Set<UUID>? = nil, title: String? = nil, because: [String] = [],
    while isStill: @escaping @MainActor () -> Bool = { true }
  ) {
    let offer = OnMyWayOffer(to: mission, from: me, among: readers, at: now)
    interface.question = Question(
      id: MissionActions.onMyWay.id, title: title ?? "Show the way to \(mission.title)?",
      consequences: because
        + offer.sentences(limit: Self.namesInQuestion) { LocalTime.end($0, at: now) },
      verb: "Show it", safeVerb: "Not now"
    ) {
      guard isStill() else {
        return interface.say("You no longer show the way to \(mission.title).")
      }
      set(
        offer.readers.map(\.userID), of: mission,
        said: "You are on your way to \(mission.title).")
    }
  }

  private func set(_ readers: [UUID]?, of mission: Mission, said sentence: String) {
    Task {
      let outcome = await interface.act(
        "Showing a way or ending that", except: "its key does it"
      ) { await sharing.setOnMyWay(to: mission.id, readers: readers) }
      guard outcome.isDone else { return }
      // The key asks or ends by what this fetches.
      await missions.refreshAll(mode: .refresh)
      interface.say(sentence)
    }
  }

  /// How long sources may take to say where I am.
  private static var locating: Duration { .seconds(10) }

  /// Names that fit into the question; the others are counted.
  private static var namesInQuestion: Int { 12 }
}
