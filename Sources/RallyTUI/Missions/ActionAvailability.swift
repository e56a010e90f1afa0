import RallyDomain
import RallyWire
import RallyWords

/// Why an action on a mission is not available, as sentences; nil if it is available.
///
/// The server decides; this checks what the client can know beforehand.
struct ActionAvailability {
  static let noPosition = "Say where you are first: :here Lisbon"

  private let mission: Mission
  private let viewModel: MissionsViewModel
  private let phase: MissionPhase

  /// - Parameter viewModel: Of its values those about me and what is on its way count, and the time.
  init(_ mission: Mission, _ viewModel: MissionsViewModel) {
    self.mission = mission
    self.viewModel = viewModel
    phase = mission.phase(at: viewModel.now)
  }

  var join: String? {
    if let inFlight { return inFlight }
    if let over { return over }
    if mission.myState == .joined { return "You are already a member." }
    if mission.isFull, let capacity = mission.capacity {
      return capacity == 1 ? "The only place is taken." : "All \(capacity) places are taken."
    }
    return nil
  }

  var leave: String? {
    if let inFlight { return inFlight }
    if let over { return over }
    guard mission.myState == .joined else { return "You are not a member." }
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

  /// Why I cannot show the way there.
  var onMyWay: String? {
    if let over { return over }
    guard mission.myState == .joined else { return notIn }
    return mission.joined.contains { $0.userID != viewModel.me }
      ? nil : "Nobody else is in it, so nobody would see you."
  }

  /// Why I cannot ask the members where they are.
  var askAll: String? {
    if let over { return over }
    guard mission.myState == .joined else { return notIn }
    return mission.joined.contains { $0.userID != viewModel.me } ? nil : "Nobody else is in it."
  }

  var say: String? {
    guard mission.myState == .joined else { return notIn }
    return mission.canBeSpokenIn(at: viewModel.now)
      ? nil : "It ended more than a day ago and takes no messages."
  }

  var edit: String? {
    if let over { return over }
    return isMine ? nil : "Only the creator can change a mission."
  }

  var complete: String? {
    if let inFlight { return inFlight }
    if let over { return over }
    return isMine ? nil : "Only the creator can end a mission; L leaves it."
  }

  func checkIn(at objective: ObjectiveRecord?) -> String? {
    guard mission.myState == .joined else { return notIn }
    if let over { return over }
    if phase == .upcoming {
      return "It starts \(MissionFormatter.moment(mission.startsAt, at: viewModel.now))."
    }
    guard !mission.objectives.isEmpty else { return "There is nothing to check in at here." }
    guard let objective else { return "Select an objective first." }
    if objective.isDone { return "\(objective.title) is done." }
    let isUnderWay = viewModel.pending.contains {
      $0.missionID == mission.id && $0.objectiveID == objective.id
        && $0.isWaiting
    }
    if isUnderWay { return "Your check-in there is already being sent." }
    if viewModel.position == nil { return Self.noPosition }
    return nil
  }

  private var isMine: Bool { mission.isCreator(viewModel.me) }

  private var notIn: String {
    phase.isOpen ? "Join it first: J." : "It is over, and you were not a member."
  }

  private var over: String? {
    switch phase {
    case .upcoming, .active: nil
    case .completed: "It is completed."
    case .cancelled: "It was cancelled."
    case .ended: "It has ended."
    }
  }

  private var inFlight: String? {
    viewModel.inFlightIDs.contains(mission.id) ? "Wait for the server's answer first." : nil
  }
}
