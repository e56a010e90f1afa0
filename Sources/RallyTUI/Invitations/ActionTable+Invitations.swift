import TerminalKit

// The acts with invitations and files; joined to the table in `ActionTable+Rally.swift`.

extension ActionID {
  static let invitations = ActionID("invitations")
  static let invitationAccept = ActionID("invitation.accept")
  static let invitationRetry = ActionID("invitation.retry")
  static let invitationMake = ActionID("invitation.make")
  static let invitationRevoke = ActionID("invitation.revoke")
  static let importRun = ActionID("import.run")
}

extension ActionTable {
  static let invitations: [Action] = [
    Action(
      id: .invitations, title: "your codes",
      summary: "Show the codes that you can give to others, or make one.", keys: ["i"],
      section: "Friends"),
    Action(
      id: .invitationAccept, name: "accept-code", title: "accept",
      summary: "Accept what the invitation gives.", keys: ["Enter"], section: "Invitations"),
    Action(
      id: .invitationRetry, name: "retry-code", title: "try again",
      summary: "Ask again what the invitation gives.", keys: ["Enter", "r"],
      section: "Invitations"),
    Action(
      id: .invitationMake, name: "make-code", title: "new code",
      summary: "Make a code that makes whoever accepts it your friend.", keys: ["c"],
      section: "Invitations"),
    Action(
      id: .invitationRevoke, name: "revoke-code", title: "take back",
      summary: "Take the code back; what it gave stays.", keys: ["x"], section: "Invitations"),
    Action(
      id: .importRun, name: "import-now", title: "import",
      summary: "Make the missions that the file brings.", keys: ["Enter"],
      section: "Missions"),
  ]
}
