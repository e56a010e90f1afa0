import TerminalKit

// Every act of the interface, once: footer, help, command line and the keys themselves read this.

extension ActionID {
  static let tabMap = ActionID("tab.map")
  static let tabMissions = ActionID("tab.missions")
  static let tabFriends = ActionID("tab.friends")
  static let tabNext = ActionID("tab.next")
  static let tabPrevious = ActionID("tab.previous")
  static let help = ActionID("help")
  static let commandLine = ActionID("command-line")
  static let quit = ActionID("quit")
  static let leave = ActionID("leave")
  static let cancel = ActionID("cancel")
  static let refresh = ActionID("refresh")
  static let repaint = ActionID("repaint")
  static let suspend = ActionID("suspend")
  static let undo = ActionID("undo")
  static let redo = ActionID("redo")
  static let messages = ActionID("messages")
  static let signOut = ActionID("sign-out")
  static let copy = ActionID("copy")
  static let bare = ActionID("bare")
  static let log = ActionID("log")

  static let fieldNext = ActionID("field.next")
  static let fieldPrevious = ActionID("field.previous")
  static let sectionNext = ActionID("section.next")
  static let sectionPrevious = ActionID("section.previous")
  static let open = ActionID("open")
  static let filter = ActionID("filter")

  static let friendsFind = ActionID("friends.find")
  static let friendsAsk = ActionID("friends.ask")
  static let friendsAccept = ActionID("friends.accept")
  static let friendsDecline = ActionID("friends.decline")
  static let friendsCancel = ActionID("friends.cancel")
  static let friendsUnfriend = ActionID("friends.unfriend")
  static let friendsBlock = ActionID("friends.block")
  static let friendsUnblock = ActionID("friends.unblock")

  static let friendsShare = ActionID("friends.share")
  static let friendsOnMap = ActionID("friends.on-map")

  static let ghost = ActionID("ghost")
  static let precision = ActionID("precision")
  static let mouse = ActionID("mouse")

  static let mapWest = ActionID("map.west")
  static let mapEast = ActionID("map.east")
  static let mapNorth = ActionID("map.north")
  static let mapSouth = ActionID("map.south")
  static let mapZoomIn = ActionID("map.zoom-in")
  static let mapZoomOut = ActionID("map.zoom-out")
  static let mapWorld = ActionID("map.world")
  static let mapPinNext = ActionID("map.next-pin")
  static let mapPinPrevious = ActionID("map.previous-pin")
  static let mapOpen = ActionID("map.open")
  static let mapDetails = ActionID("map.details")
  static let mapFollow = ActionID("map.follow")
  static let mapCentre = ActionID("map.centre")
  static let mapGoTo = ActionID("map.go-to")
  static let mapNight = ActionID("map.night")

  static let sharingMore = ActionID("sharing.more")
  static let sharingLess = ActionID("sharing.less")
  static let sharingTime = ActionID("sharing.time")

  static let confirm = ActionID("confirm")
  static let otherForm = ActionID("session.other")
  static let showPassword = ActionID("session.show-password")
  static let chooseServer = ActionID("session.server")
  static let demo = ActionID("demo")
}

extension ActionTable {
  /// The key table as it comes; keys can be typed in any order of the table.
  public static let rally = ActionTable(
    map + missions + sharing + friends + everywhere + lists + Action.movement + session + drafts
      + invitations + choosing
  )

  private static let map: [Action] = [
    Action(
      id: .mapWest, name: "west", title: "west", summary: "Move the map to the west.",
      keys: ["h", "Left"], section: "Map"),
    Action(
      id: .mapSouth, name: "south", title: "south", summary: "Move the map to the south.",
      keys: ["j", "Down"], section: "Map"),
    Action(
      id: .mapNorth, name: "north", title: "north", summary: "Move the map to the north.",
      keys: ["k", "Up"], section: "Map"),
    Action(
      id: .mapEast, name: "east", title: "east", summary: "Move the map to the east.",
      keys: ["l", "Right"], section: "Map"),
    Action(
      id: .mapZoomIn, name: "zoom-in", title: "zoom in",
      summary: "Come nearer, to the selected pin where it is in view.", keys: ["+", "="],
      section: "Map"),
    Action(
      id: .mapZoomOut, name: "zoom-out", title: "zoom out", summary: "Go further away.",
      keys: ["-"], section: "Map"),
    Action(
      id: .mapWorld, name: "world", title: "world", summary: "Show the whole world.", keys: ["0"],
      section: "Map"),
    Action(
      id: .mapPinNext, name: "next-pin", title: "next pin",
      summary: "Select the next pin on the map: friends by distance, then missions.", keys: ["Tab"],
      section: "Map"),
    Action(
      id: .mapPinPrevious, name: "previous-pin", title: "previous pin",
      summary: "Select the pin before.", keys: ["S-Tab"], section: "Map"),
    Action(
      id: .mapOpen, name: "go-to-pin", title: "go there",
      summary: "Come near to the selected friend, or open the selected mission.", keys: ["Enter"],
      section: "Map"),
    Action(
      id: .mapDetails, name: "details", title: "details",
      summary: "Show all that is known of the selected pin.", keys: ["z"],
      section: "Map"),
    Action(
      id: .mapFollow, name: "follow", title: "follow",
      summary: "Keep the selected friend, or yourself, in the middle; again stops it.",
      keys: ["f"], section: "Map"),
    Action(
      id: .mapCentre, name: "centre", title: "me", summary: "Go to where you are.", keys: ["."],
      section: "Map"),
    Action(
      id: .mapGoTo, name: "go-to", title: "go to",
      summary: "Go to a friend or a place by name.", keys: ["/"], section: "Map"),
    Action(
      id: .mapNight, name: "night", title: "night", summary: "Show or hide day and night.",
      keys: ["d"], section: "Map"),
  ]

  private static let sharing: [Action] = [
    Action(
      id: .ghost, title: "ghost",
      summary: "Be seen by nobody, at once; again gives back what was shared.", keys: ["!"],
      section: "Everywhere"),
    Action(
      id: .precision, title: "precision",
      summary: "Choose who sees how much of where you are.", keys: ["p"], section: "Everywhere"),
    Action(
      id: .sharingMore, name: "share-more", title: "more", summary: "Let them see more.",
      keys: ["l", "Right", "+"], section: "Sharing"),
    Action(
      id: .sharingLess, name: "share-less", title: "less", summary: "Let them see less.",
      keys: ["h", "Left", "-"], section: "Sharing"),
    Action(
      id: .sharingTime, name: "share-time", title: "for a time",
      summary: "Share for an hour, for eight hours, or without an end.", keys: ["t"],
      section: "Sharing"),
  ]

  private static let friends: [Action] = [
    Action(
      id: .friendsAccept, name: "accept", title: "accept",
      summary: "Accept the friend request; asks first.", keys: ["a"], section: "Friends"),
    Action(
      id: .friendsAsk, name: "ask", title: "ask", summary: "Ask the person to be friends.",
      keys: ["a", "Enter"], section: "Friends"),
    Action(
      id: .friendsDecline, name: "decline", title: "decline",
      summary: "Decline the friend request.", keys: ["x"], section: "Friends"),
    Action(
      id: .friendsCancel, name: "cancel-request", title: "cancel",
      summary: "Withdraw your friend request.", keys: ["x"], section: "Friends"),
    Action(
      id: .friendsUnfriend, name: "unfriend", title: "unfriend",
      summary: "End the friendship; asks first.", keys: ["x"], section: "Friends"),
    Action(
      id: .friendsUnblock, name: "unblock", title: "unblock",
      summary: "Let the person find and ask you again.", keys: ["x"], section: "Friends"),
    Action(
      id: .friendsBlock, name: "block", title: "block",
      summary: "Block the person; friendship and requests end both ways. Asks first.",
      keys: ["B"], section: "Friends"),
    Action(
      id: .friendsShare, name: "share", title: "share",
      summary: "Choose how much of where you are the friend sees.", keys: ["s"],
      section: "Friends"),
    Action(
      id: .friendsOnMap, name: "on-map", title: "on the map",
      summary: "Show where the friend is.", keys: ["o"], section: "Friends"),
    Action(
      id: .friendsFind, name: "find", title: "find people",
      summary: "Find people by name to ask them.", keys: ["c"], section: "Friends"),
  ]

  private static let everywhere: [Action] = [
    Action(
      id: .undo, title: "undo", summary: "Undo the last act that can be undone.",
      keys: ["u"], section: "Everywhere"),
    Action(
      id: .redo, title: "redo", summary: "Do again what was undone.", keys: ["^R"],
      section: "Everywhere"),
    Action(
      id: .copy, title: "copy",
      summary: "Copy what is selected: a link, a place, a username, a failure.", keys: ["y"],
      section: "Everywhere"),
    Action(
      id: .bare, title: "bare text",
      summary: "Show this as bare text that the terminal can select; again comes back.",
      keys: ["b"], section: "Everywhere"),
    Action(
      id: .refresh, title: "refresh",
      summary: "Fetch again, and try the connection at once.", keys: ["r"],
      section: "Everywhere"),
    Action(
      id: .tabMap, name: "map", title: "map", summary: "Go to the Map tab.", keys: ["1"],
      section: "Everywhere"),
    Action(
      id: .tabMissions, name: "missions", title: "missions", summary: "Go to the Missions tab.",
      keys: ["2"], section: "Everywhere"),
    Action(
      id: .tabFriends, name: "friends", title: "friends", summary: "Go to the Friends tab.",
      keys: ["3"], section: "Everywhere"),
    Action(
      id: .tabNext, name: "next-tab", title: "next tab", summary: "Go to the tab on the right.",
      keys: ["g t", "]"], section: "Everywhere"),
    Action(
      id: .tabPrevious, name: "previous-tab", title: "previous tab",
      summary: "Go to the tab on the left.", keys: ["g T", "["], section: "Everywhere"),
    Action(
      id: .back, title: "back", summary: "One step back; never quits.", keys: ["Esc"],
      section: "Everywhere"),
    Action(
      id: .help, title: "help", summary: "Show the keys of this screen.", keys: ["?", "F1"],
      section: "Everywhere"),
    Action(
      id: .commandLine, title: "cmd", summary: "Open the command line.", keys: [":"],
      section: "Everywhere"),
    Action(
      id: .messages, title: "messages", summary: "Show everything that was said.",
      keys: ["g m"], section: "Everywhere"),
    Action(
      id: .log, title: "log",
      summary: "Show the last lines of the log as they are written.", keys: ["g l"],
      section: "Everywhere"),
    Action(
      id: .repaint, title: "repaint", summary: "Draw the whole screen anew.", keys: ["^L"],
      section: "Everywhere"),
    Action(
      id: .suspend, title: "suspend", summary: "Stop and go back to the shell; fg returns.",
      keys: ["^Z"], section: "Everywhere"),
    Action(
      id: .cancel, title: "cancel", summary: "Cancel; pressed twice it quits.", keys: ["^C"],
      section: "Everywhere"),
    Action(
      id: .leave, title: "quit", summary: "One step back; at the top level quit.", keys: ["q"],
      section: "Everywhere"),
    Action(
      id: .quit, title: "quit", summary: "Quit at once.", keys: ["Z Z"], section: "Everywhere"),
    Action(
      id: .mouse, title: "mouse",
      summary: "Take the mouse or leave it to the terminal, which then selects text.",
      keys: ["m"], section: "Everywhere"),
    Action(
      id: .signOut, name: "sign-out", title: "sign out",
      summary: "Sign out and forget the session on this machine.", keys: [],
      section: "Everywhere"),
  ]

  private static let lists: [Action] = [
    Action(
      id: .open, title: "open", summary: "Open what is selected.", keys: ["Enter"],
      section: "Lists"),
    Action(
      id: .filter, title: "filter", summary: "Filter the list as you type; Esc clears.",
      keys: ["/"], section: "Lists"),
    Action(
      id: .sectionNext, name: "next-list", title: "next list", summary: "Show the next list.",
      keys: ["Tab", "l", "Right"], section: "Lists"),
    Action(
      id: .sectionPrevious, name: "previous-list", title: "previous list",
      summary: "Show the list before.", keys: ["S-Tab", "h", "Left"], section: "Lists"),
  ]

  private static let session: [Action] = [
    Action(
      id: .submit, title: "go on", summary: "Send the form, or go to the field that is wrong.",
      keys: ["Enter"], section: "Forms"),
    Action(
      id: .fieldNext, name: "next-field", title: "next field", summary: "Go to the next field.",
      keys: ["Tab", "Down"], section: "Forms"),
    Action(
      id: .fieldPrevious, name: "previous-field", title: "previous field",
      summary: "Go to the field before.", keys: ["S-Tab", "Up"], section: "Forms"),
    Action(
      id: .otherForm, name: "other-form", title: "sign in or new",
      summary: "Change between signing in and creating an account.", keys: ["^N"],
      section: "Forms"),
    Action(
      id: .showPassword, name: "show-password", title: "show",
      summary: "Show or hide the password.", keys: ["^R"], section: "Forms"),
    Action(
      id: .chooseServer, name: "server", title: "server", summary: "Choose another server.",
      keys: ["^T"], section: "Forms"),
    Action(
      id: .demo, title: "look around",
      summary: "Look around in a demo, without an account.", keys: ["^O"], section: "Forms"),
    Action(
      id: .confirm, title: "yes", summary: "Do what is asked.", keys: ["y"], section: "Forms"),
  ]
}
