import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem
@testable import RallyTUI

/// One person at the whole client: real services, a real server in process, keys typed at the
/// screen, and a gate under the client to hold or fail what travels.
final class Journey {
  private(set) var session: RallySession
  let gate: TransportGate
  let folder: TemporaryFolder
  let policy = RuntimePolicyCoordinator()
  private(set) var screen: TestScreen
  private(set) var interface: Interface
  private let isPlain: Bool
  private let makeSession: @MainActor () -> RallySession

  /// - Parameters:
  ///   - username: Who has signed up already; nil starts with nobody.
  ///   - transport: What is under the gate.
  ///   - locationSources: What measures where the device is.
  ///   - isElsewhere: Whether nothing is known of the server yet.
  ///   - isFirstVisit: Whether nothing is remembered here; else the Friends tab was seen last, and
  ///     the first steps are done.
  init(
    on server: TestServer, as username: String? = nil, displayName: String? = nil,
    size: Size = Size(width: 80, height: 24), isPlain: Bool = false, transport: Transport = .live,
    locationSources: [LocationSource] = [], isFirstVisit: Bool = false, isElsewhere: Bool = false
  ) async throws {
    self.isPlain = isPlain
    let folder = try TemporaryFolder()
    let gate = TransportGate(over: transport)
    let choice =
      isElsewhere
      ? ServerChoice.embedded : .remote(try ServerURL(server.url), key: server.key)
    let folders = try RallyFolders(data: folder.path, environment: [:])
    if !isFirstVisit {
      let memory = InterfaceMemory(
        persistenceService: PersistenceService(folder: folders.profileState))
      memory.note(.friends)
      memory.note(done: Set(FirstStep.allCases))
      await memory.save()
    }
    if let username {
      let services = AppServices(folders: folders, server: choice)
      try await services.authService.signUp(
        email: "\(username)@example.org", password: Samples.password, username: username,
        displayName: displayName)
    }
    self.folder = folder
    self.gate = gate
    makeSession = Journey.sessions(
      choice, folders, isNewcomer: username == nil, policy, gate, locationSources)
    session = makeSession()
    interface = Interface()
    screen = Journey.screen(session, interface, size, isPlain)
  }

  /// Another program of the same profile, side by side with `other`; not started yet.
  init(besides other: Journey) throws {
    isPlain = other.isPlain
    folder = other.folder
    gate = TransportGate()
    makeSession = Journey.sessions(
      other.session.services.server,
      try RallyFolders(data: other.folder.path, environment: [:]), isNewcomer: false, policy, gate)
    session = makeSession()
    interface = Interface()
    screen = Journey.screen(session, interface, other.screen.terminal.size, isPlain)
  }

  private static func sessions(
    _ server: ServerChoice, _ folders: RallyFolders, isNewcomer: Bool,
    _ policy: RuntimePolicyCoordinator, _ gate: TransportGate,
    _ locationSources: [LocationSource] = []
  ) -> @MainActor () -> RallySession {
    {
      RallySession(
        server: server, folders: folders, isNewcomer: isNewcomer,
        placeFinder: .world(streetsIn: folders.streets),
        runtimePolicyCoordinator: policy
      ) {
        AppServices(
          folders: folders, server: $0, locationSources: locationSources,
          broadcastStudio: BroadcastStudio(), transport: gate.transport)
      }
    }
  }

  private static func screen(
    _ session: RallySession, _ interface: Interface, _ size: Size, _ isPlain: Bool
  ) -> TestScreen {
    let screen = TestScreen(
      size: size, table: .rally, isPlain: isPlain,
      root: RallyView(session: session, interface: interface))
    screen.messages = {
      Dictionary(uniqueKeysWithValues: interface.toasts.history.map { ($0.id, $0.text) })
    }
    return screen
  }

  /// Starts the program anew: takes up the stored session and draws the first frame.
  func start() async {
    let size = screen.terminal.size
    session = makeSession()
    await session.restore()
    interface = Interface()
    screen = Journey.screen(session, interface, size, isPlain)
  }

  /// A client of a person who has an account, live with their lists: on the Friends tab, or on the
  /// map at a first visit.
  static func live(
    _ username: String, displayName: String? = nil, on server: TestServer,
    size: Size = Size(width: 80, height: 24), isPlain: Bool = false,
    locationSources: [LocationSource] = [], isFirstVisit: Bool = false
  ) async throws -> Journey {
    let journey = try await Journey(
      on: server, as: username, displayName: displayName, size: size, isPlain: isPlain,
      locationSources: locationSources, isFirstVisit: isFirstVisit)
    await journey.start()
    await journey.screen.waitFor(isPlain ? " live  @" : size.isCompact ? " ●" : "● live")
    await journey.screen.waitUntil {
      journey.session.stores?.social.asOf != nil
        && journey.session.stores?.locationSharing.summary != nil
        && !journey.screen.contains("no list yet")
    }
    return journey
  }

  /// Dario on the Friends tab, with two friends and a request for him, which is selected.
  ///
  /// - Parameter befriended: Called for each friend, by their username.
  static func withFriends(
    on server: TestServer, size: Size = Size(width: 80, height: 24), isPlain: Bool = false,
    befriended: @MainActor (String, Journey) async throws -> Void = { _, _ in }
  ) async throws -> Journey {
    let dario = try await live(
      "dario", displayName: "Dario Conti", on: server, size: size, isPlain: isPlain)
    let id = try await dario.userID()
    for (name, shown, isFriend) in [
      ("kenji", "田中 健司", true), ("lucia", "Lucía Gómez", true), ("tomas", "Tomás Rey", false),
    ] {
      let person = try await Journey(on: server, as: name, displayName: shown)
      try await person.friendsService.requestFriend(userID: id)
      if isFriend {
        try await dario.friendsService.respondToFriendRequest(
          userID: person.userID(), accept: true)
        try await befriended(name, person)
      }
    }
    // Friends and requests are fetched side by side: a new friend may be in both for a moment.
    await dario.screen.waitUntil {
      ["All 2", "In 1", "Tomás Rey"].allSatisfy(dario.screen.contains)
    }
    // It is said a moment after the list shows it; Esc takes it away.
    await dario.screen.waitUntil {
      dario.interface.toasts.history.contains { $0.text == "@tomas wants to be friends." }
    }
    dario.screen.press("g g Esc")
    await dario.screen.waitUntilIdle()
    return dario
  }

  /// The picture with ages masked: they are the only thing that time changes.
  var picture: [String] { Journey.masked(screen.picture) }

  static func masked(_ lines: [String]) -> [String] {
    lines.map {
      $0.replacing(/\ +(?:now|\d+[sm])(?=│|$)/, with: " AGE")
        .replacing(/just now|just AGE|\d+ (?:seconds?|minutes?) ago/, with: "AGE")
        .replacing(/\d+ [A-Z][a-z]{2} 20\d\d/, with: "DAY")
        .replacing(/as of \d\d:\d\d/, with: "as of CLOCK")
    }
  }

  /// A person who acts from elsewhere.
  var friendsService: FriendsService { session.services.friendsService }

  func userID() async throws -> UUID {
    try #require(await session.services.authService.currentUserID)
  }

  /// Plays an act over transports that refuse what it may not cost.
  ///
  /// - Parameters:
  ///   - count: How many requests who acts may send.
  ///   - others: May send none.
  ///   - act: Returns once all screens show it.
  static func allow(
    _ count: Int, to doer: Journey, none others: Journey...,
    sourceLocation: SourceLocation = #_sourceLocation, while act: () async throws -> Void
  ) async throws {
    let people = [doer] + others
    for person in people { #expect(await person.isQuiet(), sourceLocation: sourceLocation) }
    for person in people { person.gate.allow(person === doer ? count : 0) }
    try await act()
    for person in people {
      #expect(await person.isQuiet(), sourceLocation: sourceLocation)
      #expect(person.gate.refused == [], sourceLocation: sourceLocation)
      person.gate.allow(nil)
    }
  }

  /// Whether nothing is under way, nor about to be sent; waits for it.
  private func isQuiet() async -> Bool {
    await eventually {
      guard let stores = self.session.stores else { return false }
      return !stores.social.synchronizer.isBusy && !stores.missions.synchronizer.isBusy
        && !stores.locationSharing.synchronizer.isBusy && !stores.map.synchronizer.isBusy
        && !stores.missions.feeds.values.contains { $0.isLoading }
    }
  }

  func close() async {
    await session.close()
    screen.application.finish()
  }
}

/// Compares a picture line by line, so that a failure shows both.
func expect(
  _ journey: Journey, shows expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  var wanted = Journey.masked(
    expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  while wanted.count < journey.picture.count { wanted.append("") }
  #expect(journey.picture == wanted, sourceLocation: sourceLocation)
}
