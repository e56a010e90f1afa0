import Foundation
import RallyDomain
import RallyWire

/// Why an act cannot be done with a mission now, as sentences; nil where it can.
///
/// The server decides; this answers what can be known beforehand.
struct ActionAvailability {
  private let mission: Mission
  private let scene: MissionsViewModel
  private let phase: MissionPhase

  init(_ mission: Mission, _ scene: MissionsViewModel) {
    self.mission = mission
    self.scene = scene
    phase = mission.phase(at: scene.now)
  }

  var join: String? {
    if let settling { return settling }
    if let over { return over }
    if mission.myState == .joined { return "You are in it already." }
    if mission.isFull, let capacity = mission.capacity {
      return capacity == 1 ? "It is for one alone." : "All \(capacity) places are taken."
    }
    return nil
  }

  var leave: String? {
    if let settling { return settling }
    if let over { return over }
    guard mission.myState == .joined else { return "You are not in it." }
    return isMine ? "It is your mission: E completes it, x calls it off." : nil
  }

  var invite: String? {
    if let over { return over }
    guard mission.myState == .joined else { return notIn }
    guard mission.visibility != .private else {
      return "Only you see this mission; e lets others see it."
    }
    return nil
  }

  var say: String? {
    guard mission.myState == .joined else { return notIn }
    return mission.canBeSpokenIn(at: scene.now)
      ? nil : "It has been over for a day: nobody listens any more."
  }

  var edit: String? {
    if let over { return over }
    return isMine ? nil : "Only who made a mission can change it."
  }

  var complete: String? {
    if let settling { return settling }
    if let over { return over }
    return isMine ? nil : "Only who made a mission can end it; L leaves it."
  }

  func checkIn(at objective: ObjectiveRecord?) -> String? {
    guard mission.myState == .joined else { return notIn }
    if let over { return over }
    if phase == .upcoming {
      return "It starts \(MissionWords.moment(mission.startsAt, at: scene.now))."
    }
    guard !mission.objectives.isEmpty else { return "There is nothing to check in at here." }
    guard let objective else { return "Select an objective first." }
    if objective.isDone { return "\(objective.title) is done." }
    let isUnderWay = scene.pending.contains {
      $0.missionID == mission.id && $0.objectiveID == objective.id
        && ($0.standing == .sending || $0.standing == .queued)
    }
    if isUnderWay { return "Your check-in there is on its way already." }
    if scene.position == nil { return "Say where you are first: :here Lisbon" }
    return nil
  }

  private var isMine: Bool { mission.isCreator(scene.me) }

  private var notIn: String {
    phase.isOpen ? "Join it first: J." : "It is over, and you were not in it."
  }

  private var over: String? {
    switch phase {
    case .upcoming, .active: nil
    case .completed: "It is completed."
    case .cancelled: "It was cancelled."
    case .ended: "It has ended."
    }
  }

  private var settling: String? {
    scene.settlingIDs.contains(mission.id) ? "Wait for the server's answer first." : nil
  }
}
