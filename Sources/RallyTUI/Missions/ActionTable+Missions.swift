import TerminalKit

// The acts of the Missions tab; joined to the table in `ActionTable+Rally.swift`.

extension ActionID {
  static let missionsOpen = ActionID("missions.open")
  static let missionsCheckIn = ActionID("missions.check-in")
  static let missionsAccept = ActionID("missions.accept")
  static let missionsJoin = ActionID("missions.join")
  static let missionsSay = ActionID("missions.say")
  static let missionsInvite = ActionID("missions.invite")
  static let missionsOnMap = ActionID("missions.on-map")
  static let missionsRetry = ActionID("missions.retry")
  static let missionsDrop = ActionID("missions.drop")
  static let missionsDecline = ActionID("missions.decline")
  static let missionsCompose = ActionID("missions.compose")
  static let missionsEdit = ActionID("missions.edit")
  static let missionsLeave = ActionID("missions.leave")
  static let missionsComplete = ActionID("missions.complete")
  static let missionsCancel = ActionID("missions.cancel")
  static let missionsWider = ActionID("missions.wider")
  static let missionsCode = ActionID("missions.code")
}

extension ActionTable {
  static let missions: [Action] = [
    Action(
      id: .missionsOpen, name: "open-mission", title: "open",
      summary: "Go into the mission: its objectives and what happened.", keys: ["Enter"],
      section: "Missions"),
    Action(
      id: .missionsCheckIn, name: "check-in", title: "check in",
      summary: "Tell the members that you are at the selected objective.", keys: ["Enter"],
      section: "Missions"),
    Action(
      id: .missionsAccept, name: "accept-invitation", title: "accept",
      summary: "Accept the invitation and join the mission.", keys: ["a"], section: "Missions"),
    Action(
      id: .missionsDecline, name: "decline-invitation", title: "decline",
      summary: "Decline the invitation.", keys: ["x"], section: "Missions"),
    Action(
      id: .missionsJoin, name: "join", title: "join", summary: "Join the mission.", keys: ["J"],
      section: "Missions"),
    Action(
      id: .missionsSay, name: "say", title: "say",
      summary: "Say something to the members.", keys: ["s"], section: "Missions"),
    Action(
      id: .missionsRetry, name: "retry", title: "try again",
      summary: "Send the check-in again that was not taken.", keys: ["r"], section: "Missions"),
    Action(
      id: .missionsDrop, name: "drop", title: "drop",
      summary: "Forget the check-in that was not taken.", keys: ["x"], section: "Missions"),
    Action(
      id: .missionsOnMap, name: "mission-on-map", title: "map",
      summary: "Show where the mission is.", keys: ["o"], section: "Missions"),
    Action(
      id: .missionsInvite, name: "invite-friends", title: "invite",
      summary: "Invite friends to the mission.", keys: ["i"], section: "Missions"),
    Action(
      id: .missionsWider, name: "wider", title: "wider",
      summary: "Look for missions twice as far away.", keys: ["w"], section: "Missions"),
    Action(
      id: .missionsEdit, name: "edit-mission", title: "edit",
      summary: "Change a mission that you made.", keys: ["e"], section: "Missions"),
    Action(
      id: .missionsLeave, name: "leave-mission", title: "leave",
      summary: "Leave the mission; asks first.", keys: ["L"], section: "Missions"),
    Action(
      id: .missionsComplete, name: "complete", title: "complete",
      summary: "End a mission that you made as done, for everybody; asks first.", keys: ["E"],
      section: "Missions"),
    Action(
      id: .missionsCancel, name: "cancel-mission", title: "cancel",
      summary: "Call off a mission that you made, for everybody; asks first.", keys: ["x"],
      section: "Missions"),
    Action(
      id: .missionsCompose, name: "compose", title: "new",
      summary: "Write a new mission; one that was begun is found again.", keys: ["c"],
      section: "Missions"),
    Action(
      id: .missionsCode, name: "mission-code", title: "code",
      summary: "Make a code that brings whoever accepts it into the mission.", keys: ["c"],
      section: "Missions"),
  ]
}
