import RallyStorage

/// The table of budgets: each limits how much one user, address or server may have or do.
///
/// Each is declared here only. `Budgets` reads its value, refusals are counted by `BudgetKeeper`,
/// and `rally serve --budget NAME=VALUE` changes it by its raw value.
public enum Budget: String, Hashable, Sendable, CaseIterable {
  // Guesses and accounts.
  case signUpsPerAddress = "sign-ups-per-address"
  case signInsPerAddress = "sign-ins-per-address"
  case guessesPerAccount = "guesses-per-account"
  case guessesPerAccountAndAddress = "guesses-per-account-and-address"
  case refreshesPerSession = "refreshes-per-session"
  case searchesPerPerson = "searches-per-person"
  case requestsPerPerson = "requests-per-person"
  case invitationsPerPerson = "invitations-per-person"
  case openedInvitationsPerAddress = "opened-invitations-per-address"
  case profileChangesPerPerson = "profile-changes-per-person"
  case calendarReadsPerPerson = "calendar-reads-per-person"
  case watchReadsPerAddress = "watch-reads-per-address"
  case unknownPhonesPerAddress = "unknown-phones-per-address"
  case peoplePerAddress = "people-per-address"

  // Connections and bodies.
  case connections
  case connectionsPerAddress = "connections-per-address"
  case connectionsPerDoor = "connections-per-door"
  case connectionsPerPerson = "connections-per-person"
  case bodyBytes = "body-bytes"
  case answerBytes = "answer-bytes"

  // Reads.
  case readsAtOnce = "reads-at-once"
  case waitingReads = "waiting-reads"
  case readMilliseconds = "read-milliseconds"
  case searchCharacters = "search-characters"
  case searchTerms = "search-terms"

  // Writes.
  case missionsPerMinute = "missions-per-minute"
  case messagesPerMinute = "messages-per-minute"
  case missionChangesPerMinute = "mission-changes-per-minute"
  case friendChangesPerMinute = "friend-changes-per-minute"
  case positionsPerMinute = "positions-per-minute"
  case asksPerMinute = "asks-per-minute"
  case phonePostsPerMinute = "phone-posts-per-minute"

  // Rows.
  case messagesPerMission = "messages-per-mission"
  case membersPerMission = "members-per-mission"
  case openMissionsPerPerson = "open-missions-per-person"
  case friendsPerPerson = "friends-per-person"
  case openRequestsPerPerson = "open-requests-per-person"
  case openInvitationsPerPerson = "open-invitations-per-person"
  case blocksPerPerson = "blocks-per-person"
  case phonesPerPerson = "phones-per-person"
  case sshKeysPerPerson = "ssh-keys-per-person"
  case watchLinksPerPerson = "watch-links-per-person"
  case bytesPerPerson = "bytes-per-person"

  // Realtime.
  case sockets
  case socketsPerAddress = "sockets-per-address"
  case socketsPerDoor = "sockets-per-door"
  case socketsPerPerson = "sockets-per-person"
  case channelsPerSocket = "channels-per-socket"
  case bindingsPerChannel = "bindings-per-channel"
  case bindingsPerPerson = "bindings-per-person"
  case bindings
  case inertBindingBytesPerSocket = "inert-binding-bytes-per-socket"
  case joinsPerSocket = "joins-per-socket"
  case messagesPerSocket = "messages-per-socket"
  case framesPerSocket = "frames-per-socket"
  case presencePerChannel = "presence-per-channel"
  case broadcastBytes = "broadcast-bytes"
  case presenceBytes = "presence-bytes"
  case watchPages = "watch-pages"
  case watchPagesPerLink = "watch-pages-per-link"
}

extension Budget {
  /// The kind of subject that has this budget each.
  public enum Actor: String, Hashable, Sendable {
    case server, address, door, account, person, phone, session, socket, channel, mission
    case link, call
  }

  /// The unit that is counted.
  public enum Resource: String, Hashable, Sendable {
    case bytes, rows, connections, sockets, channels, bindings, people, pages
    case characters
    case searchTerms = "search terms"
    /// Milliseconds of work that occupies a database reader.
    case milliseconds
    case atOnce = "at once"
    case waiting
    case perSecond = "a second"
    case perMinute = "a minute"
    case perHalfMinute = "in 30 seconds"
    case perFiveMinutes = "in 5 minutes"
  }

  /// What the table says of a budget.
  public struct Row: Hashable, Sendable {
    public var actor: Actor
    public var resource: Resource
    /// The default value.
    public var standard: Int
    /// What is counted, and what happens above the limit.
    public var summary: String

    init(_ actor: Actor, _ resource: Resource, _ standard: Int, _ summary: String) {
      self.actor = actor
      self.resource = resource
      self.standard = standard
      self.summary = summary
    }
  }

  /// Whether an account has one third of it on its first day and two thirds on the next two.
  public var growsWithAge: Bool {
    switch self {
    case .missionsPerMinute, .messagesPerMinute, .missionChangesPerMinute,
      .friendChangesPerMinute, .positionsPerMinute, .asksPerMinute,
      .openMissionsPerPerson, .friendsPerPerson, .openRequestsPerPerson,
      .openInvitationsPerPerson, .blocksPerPerson, .bytesPerPerson:
      true
    default: false
    }
  }

  /// Whether it is a token bucket: the value is its size, refilled within its period.
  var isRate: Bool { [.perMinute, .perFiveMinutes].contains(row.resource) }
}

extension Budget {
  /// This budget's line of the table.
  public var row: Row {
    switch self {
    case .signUpsPerAddress:
      Row(.address, .perFiveMinutes, 300, "Sign-ups; more get 429.")
    case .signInsPerAddress:
      Row(
        .address, .perFiveMinutes, 1500,
        "Sign-ins, as many token refreshes, as many password changes; more get 429.")
    case .guessesPerAccount:
      Row(
        .account, .perFiveMinutes, 300,
        "Wrong passwords and sign-ups for one e-mail address, from all addresses where nobody"
          + " entered the account lately; more get 429.")
    case .guessesPerAccountAndAddress:
      Row(
        .account, .perFiveMinutes, 30,
        "The same from one address; also one person's changes of password and e-mail;"
          + " more get 429.")
    case .refreshesPerSession:
      Row(.session, .perFiveMinutes, 150, "Token refreshes; more get 429.")
    case .searchesPerPerson:
      Row(.person, .perFiveMinutes, 600, "Searches for people; more get 429.")
    case .requestsPerPerson:
      Row(.person, .perFiveMinutes, 120, "Friend requests; more get 429.")
    case .invitationsPerPerson:
      Row(
        .person, .perFiveMinutes, 120,
        "Invitation codes made, looked at or accepted; more get 429.")
    case .openedInvitationsPerAddress:
      Row(
        .address, .perFiveMinutes, 300,
        "Codes of invitations looked at without an account (`/i`); more get 429.")
    case .profileChangesPerPerson:
      Row(
        .person, .perFiveMinutes, 60,
        "Changes of the profile, each of which may try a username; more get 429.")
    case .calendarReadsPerPerson:
      Row(
        .person, .perFiveMinutes, 60,
        "Reads of the private address of a calendar, also of one that is unknown; more get 429.")
    case .watchReadsPerAddress:
      Row(
        .address, .perFiveMinutes, 3000,
        "Reads of links to watch without an account (`/w/ID`); more get 429.")
    case .unknownPhonesPerAddress:
      Row(
        .address, .perFiveMinutes, 1500,
        "Posts under `/phone/` with a credential that no phone has; more get 429.")
    case .peoplePerAddress:
      Row(
        .address, .people, 20,
        "Busy people behind one address: it has the five budgets of a person above so many times.")
    case .connections:
      Row(.server, .connections, 20_000, "Open connections; more are closed at once.")
    case .connectionsPerAddress:
      Row(.address, .connections, 256, "Open connections; more are closed at once.")
    case .connectionsPerDoor:
      Row(
        .door, .connections, 2048,
        "Open connections of the guests of an SSH door; more count for its address.")
    case .connectionsPerPerson:
      Row(
        .person, .connections, 96,
        "Open connections with requests in their name; more get 429 and are closed.")
    case .bodyBytes:
      Row(.call, .bytes, 1 << 20, "A request's body; a larger one gets 413.")
    case .answerBytes:
      Row(
        .call, .bytes, 256 << 10,
        "Rows of an answer, one row at least; it ends early, and the next page goes on.")
    case .readsAtOnce:
      Row(.person, .atOnce, 2, "Reads in work; more wait, and nobody else behind them.")
    case .waitingReads:
      Row(.person, .waiting, 64, "Reads that wait for one of those; more get 429.")
    case .readMilliseconds:
      Row(
        .call, .milliseconds, 1000,
        "Processor time of a read (PostgreSQL: time of a statement); then it is stopped with 503."
      )
    case .searchCharacters:
      Row(
        .call, .characters, 64,
        "A text to search for, of which the rest is cut; a longer pattern of a filter is refused.")
    case .searchTerms:
      Row(.call, .searchTerms, 16, "Groups of three letters that a search looks up in the index.")
    case .missionsPerMinute:
      Row(.person, .perMinute, 90, "Missions made; more get 429.")
    case .messagesPerMinute:
      Row(.person, .perMinute, 180, "Messages in missions; more get 429.")
    case .missionChangesPerMinute:
      Row(
        .person, .perMinute, 360,
        "Changes of missions, joining, leaving, inviting and checking in; more get 429.")
    case .friendChangesPerMinute:
      Row(
        .person, .perMinute, 180,
        "Answers to requests and questions, friendships ended, blocks, codes revoked;"
          + " more get 429.")
    case .positionsPerMinute:
      Row(
        .person, .perMinute, 360,
        "Reports of positions, changes of sharing and of zones, phones, SSH keys and the address of"
          + " the calendar added or removed; more get 429.")
    case .asksPerMinute:
      Row(.person, .perMinute, 30, "Questions where a friend is; more get 429.")
    case .phonePostsPerMinute:
      Row(
        .phone, .perMinute, 300,
        "Posts of the app under `/phone/`, or of the page that feeds a link; more get 429.")
    case .messagesPerMission:
      Row(.mission, .rows, 20_000, "Lines of activity; then nothing more can be said.")
    case .membersPerMission:
      Row(.mission, .rows, 2000, "People in it, asked or gone; nobody else can be asked or join.")
    case .openMissionsPerPerson:
      Row(.person, .rows, 3000, "Open missions of their own; more are refused.")
    case .friendsPerPerson:
      Row(.person, .rows, 6000, "Friends; a request, an answer and a code beyond are refused.")
    case .openRequestsPerPerson:
      Row(.person, .rows, 500, "Friend requests of their own; more are refused.")
    case .openInvitationsPerPerson:
      Row(.person, .rows, 500, "Open invitation codes; more are refused.")
    case .blocksPerPerson:
      Row(.person, .rows, 6000, "People blocked; more are refused.")
    case .phonesPerPerson:
      Row(.person, .rows, 20, "Phones that may report their position; more are refused.")
    case .sshKeysPerPerson:
      Row(.person, .rows, 20, "SSH keys that come in as them; more are refused.")
    case .watchLinksPerPerson:
      Row(.person, .rows, 5, "Links to watch; more are refused.")
    case .bytesPerPerson:
      Row(
        .person, .bytes, 96_000_000,
        "Missions and messages, 200 for each row and its text; more are refused.")
    case .sockets:
      Row(.server, .sockets, 10_000, "Open WebSockets; more get 429.")
    case .socketsPerAddress:
      Row(.address, .sockets, 128, "Open WebSockets; more get 429.")
    case .socketsPerDoor:
      Row(.door, .sockets, 1024, "Open WebSockets of the guests of an SSH door; more get 429.")
    case .socketsPerPerson:
      Row(.person, .sockets, 16, "WebSockets with a topic joined in their name; more are refused.")
    case .channelsPerSocket:
      Row(.socket, .channels, 100, "Joined topics; more are refused.")
    case .bindingsPerChannel:
      Row(.channel, .bindings, 100, "`postgres_changes` entries of one join; more are refused.")
    case .bindingsPerPerson:
      Row(
        .person, .bindings, 500,
        "`postgres_changes` entries of all their sockets, one for each 256 bytes begun; more are"
          + " refused.")
    case .bindings:
      Row(.server, .bindings, 50_000, "The same of everybody together; more are refused.")
    case .inertBindingBytesPerSocket:
      Row(
        .socket, .bytes, 32_768,
        "`postgres_changes` entries without an account, which wait for one; more are refused.")
    case .joinsPerSocket:
      Row(.socket, .perSecond, 100, "Joins; more close the socket (1008).")
    case .messagesPerSocket:
      Row(.socket, .perSecond, 100, "Messages to channels; more end the channel.")
    case .framesPerSocket:
      Row(.socket, .perSecond, 500, "Frames of any kind; more close the socket (1008).")
    case .presencePerChannel:
      Row(.channel, .perHalfMinute, 20, "`track` and `untrack`; more end the channel.")
    case .broadcastBytes:
      Row(.call, .bytes, 256_000, "A broadcast's payload; a larger one is refused.")
    case .presenceBytes:
      Row(.call, .bytes, 4096, "A tracked payload; a larger one ends the channel.")
    case .watchPages:
      Row(.server, .pages, 500, "Open pages of links to watch; more get 503, and try again.")
    case .watchPagesPerLink:
      Row(.link, .pages, 50, "The same of one link; more get 503, and try again.")
    }
  }
}

extension Budget {
  /// The whole table for `docs/serve.md`, with the standard values.
  public static var markdown: String {
    let lines = allCases.map { budget in
      let row = budget.row
      return "| `\(budget.rawValue)` | \(row.actor.rawValue) | \(row.standard) |"
        + " \(row.resource.rawValue) | \(row.summary) |"
    }
    return (["| budget | of each | value | counts | beyond it |", "|---|---|---|---|---|"] + lines)
      .joined(separator: "\n")
  }
}
