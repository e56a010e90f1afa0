import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// Showing the way to a mission and ending that, from its screen and from its pin on the map.
struct OnMyWayActs {
  let sharing: LocationSharingStore
  let missions: MissionsStore
  let provider: CurrentLocationProvider
  let interface: Interface
  /// Me; nil before it is known.
  let me: UUID?
  let now: WireTime

  func isOn(theWayTo mission: Mission) -> Bool { way.isOn(theWayTo: mission, at: now) }

  /// Asks before anybody sees the way; ends it without asking.
  func toggle(_ mission: Mission) {
    switch way.step(to: mission, at: now) {
    case .end: set(nil, of: mission, said: "You no longer show the way to \(mission.title).")
    case .ghost: interface.say("You are a ghost; nobody is shown your way.")
    case .ask: confirm(mission)
    case .locate:
      interface.say("Looking where you are…")
      Task {
        if await way.locate() {
          confirm(mission)
        } else {
          interface.say(ActionAvailability.noPosition)
        }
      }
    }
  }

  private var way: OnMyWay {
    OnMyWay(sharing: sharing, missions: missions, provider: provider, me: me)
  }

  /// Says that a live mission has started, and how to open the question.
  ///
  /// - Parameters:
  ///   - key: That of the mission's own screen.
  ///   - questionKey: That of every screen while the question waits.
  func offerAtStart(of mission: Mission, key: String, questionKey: String) {
    interface.wait(
      with: WaitingQuestion(
        id: "start \(mission.id)",
        isStill: { way.isAsked(atStartOf: mission) },
        open: {
          confirm(
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
          confirm(
            later.mission, readers: later.readerIDs.union(later.members.map(\.userID)),
            title: "Show them the way too?", because: ["\(fact) that you are on your way."]
          ) { isOn(theWayTo: later.mission) }
        }),
      saying: "\(fact) your way. \(questionKey) asks whether to show it to them.")
  }

  /// - Parameters:
  ///   - readers: nil for everybody who is in the mission.
  ///   - isStill: Whether it is still to be shown when the answer comes.
  private func confirm(
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
      ) { await way.show(mission, to: readers) }
      if outcome.isDone { interface.say(sentence) }
    }
  }

  /// Names that fit into the question; the others are counted.
  private static var namesInQuestion: Int { 12 }
}
