import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

extension MissionActions {
  static let open = selected(
    id: "missions.open", name: "open-mission", title: "open",
    summary: "Open the mission: its objectives and its activity.", keys: ["Enter"], footer: 223,
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
    id: "missions.join", summary: "Join the mission.", keys: ["J"], footer: 222,
    disabled: { $0.rules?.join }, run: { $0.join($1) })
  static let say = selected(
    id: "missions.say", summary: "Say something to the members.", keys: ["s"], footer: 225,
    disabled: { $0.rules?.say }, run: { $0.say($1) })
  static let nextUnread = FeatureAction<Context>(
    id: "missions.next-unread", name: "next-unread", title: "unread",
    summary: "Select the next line that is new, or the next mission with one.", keys: ["n"],
    section: "Missions", footer: 221,
    disabled: { $0.view.nextUnread == nil ? "Nothing is unread." : nil },
    run: { $0.view.goToUnread() })
  static let showOnMap = selected(
    id: "missions.on-map", name: "mission-on-map", title: "map",
    summary: "Show where the mission is.", keys: ["o"], footer: 340, whileMarking: true,
    run: { $0.showOnMap($1) })
  static let card = selected(
    id: "missions.card", summary: "Show the mission's card: who did what, when and how far.",
    keys: ["C"], footer: 224, shown: { $0.mission?.state == .completed },
    run: { $0.interface.overlay = .missionCard($1.id) })
  static let invite = selected(
    id: "missions.invite", name: "invite-friends", title: "invite",
    summary: "Invite friends to the mission.", keys: ["i"], footer: 332,
    disabled: { $0.rules?.invite }, run: { $0.inviteFriends(to: $1) })
  static let members = selected(
    id: "missions.members", summary: "Show the members' profiles, and ask one to be friends.",
    keys: ["M"], run: { $0.interface.overlay = .members($1.id) })
  static let wider = FeatureAction<Context>(
    id: "missions.wider", summary: "Look for missions twice as far away.", keys: ["w"],
    section: "Missions", footer: 330, shown: { $0.view.viewModel.section == .nearby },
    disabled: {
      switch $0.view.viewModel.nearbyState {
      case .noPosition: ActionAvailability.noPosition
      case .heldBack: "Your zones or hours hold back where you are; :zone lists them."
      case .within: nil
      }
    }, run: { context in Task { await context.view.missionsStore.widenNearby() } })
  static let onMyWay = selected(
    id: "missions.on-my-way", name: "on-my-way",
    summary: "Show the members that you are on your way, after a question; again ends it.",
    keys: ["W"], otherSections: ["Map"],
    disabled: { context in
      guard let mission = context.mission, !context.view.onMyWayActs.isOn(theWayTo: mission)
      else { return nil }
      return context.rules?.onMyWay
    }, run: { $0.onMyWayActs.toggle($1) })
  static let frame = selected(
    id: "missions.frame", name: "who-comes", title: "who comes",
    summary: "Show on the map who is on the way to the mission; Esc goes back.", keys: ["F"],
    otherSections: ["Map"], disabled: { $0.mission.flatMap($0.view.frameObstacle) },
    run: { $0.frame($1) })
  static let askAll = selected(
    id: "missions.ask-all", name: "where-is-everybody",
    summary: "Ask the friends in the mission who have not arrived where they are.", keys: ["Q"],
    disabled: { $0.rules?.askAll }, run: { $0.askAll($1) })
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
    summary: "Create a mission; a draft that was begun is kept.", keys: ["c"],
    section: "Missions", otherSections: ["Map"], footer: 350, run: { $0.view.compose(nil) })

  /// Of the available actions with the same key, the last one performs.
  static let all: [FeatureAction<Context>] = [
    open, checkIn, join, say, nextUnread,
    showOnMap, card, invite, members, onMyWay, frame, askAll, wider,
    selected(
      id: "missions.edit", name: "edit-mission", title: "edit",
      summary: "Change a mission that you made.", keys: ["e"], footer: 334,
      disabled: { $0.rules?.edit }, run: { $0.compose($1.id) }),
    leave, complete, cancel, compose, accept, decline,
    selected(
      id: "missions.retry", title: "try again",
      summary: "Send the failed check-in again.", keys: ["r"], footer: 180,
      shown: { $0.hasFailed }, run: { $0.retry($1) }),
    selected(
      id: "missions.drop", summary: "Forget the failed check-in.", keys: ["x"],
      footer: 190, shown: { $0.hasFailed }, run: { $0.drop($1) }),
  ]

  /// An action on the selected mission, as it is when the key is pressed.
  ///
  /// - Parameter whileMarking: Whether it still is done with the selected mission alone while several
  ///   are marked; of the others `MissionBulkActions` takes the keys.
  private static func selected(
    id: ActionID, name: String? = nil, title: String? = nil, summary: String,
    keys: [KeySequence], otherSections: Set<String> = [],
    footer: FooterPlace? = nil, whileMarking: Bool = false,
    shown: @escaping FeatureAction<Context>.Condition<Bool> = { _ in true },
    disabled: @escaping FeatureAction<Context>.Condition<String?> = { _ in nil },
    run: @escaping @MainActor (MissionActions, Mission) -> Void
  ) -> FeatureAction<Context> {
    FeatureAction(
      id: id, name: name, title: title, summary: summary, keys: keys, section: "Missions",
      otherSections: otherSections, footer: footer,
      shown: { $0.mission != nil && (whileMarking || !$0.isMarking) && shown($0) },
      disabled: disabled
    ) { if let mission = $0.view.mission { run($0.view, mission) } }
  }
}

/// Why an action on a mission is not available, as sentences; nil if it is available.
///
/// The server decides; this checks what the client can see beforehand.
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
