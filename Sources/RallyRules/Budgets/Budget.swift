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
