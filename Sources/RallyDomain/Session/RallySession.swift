import FoundationEssentials
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// Who is signed in, on which server, and the services that go with it.
///
/// Signing in or out, or choosing another server, makes a new `AppServices` and a new tree of views:
/// `generation` is the identity that the root view is keyed by.
@MainActor
@Observable
public final class RallySession {
  public enum Phase: Hashable, Sendable {
    /// Nobody; the sentence says why, when it was not the person's own doing.
    case signedOut(notice: String?)
    /// Somebody, with the stores that all screens of this session borrow.
    case signedIn(SharedStores)
  }

  public private(set) var phase: Phase
  public private(set) var services: AppServices
  public private(set) var generation = 0
  /// Whether this profile never signed in: it is offered a new account first.
  public private(set) var isNewcomer: Bool
  /// A code or a link that waits for somebody to be signed in.
  public private(set) var invitation: String?
  /// What is known of that invitation while nobody is signed in.
  public private(set) var lookup = InvitationSearch.nothing
  /// Where the program is to go on once it has ended here; nil for nowhere.
  public private(set) var handover: ProfileHandover?

  @ObservationIgnored public let runtimePolicyCoordinator: RuntimePolicyCoordinator
  @ObservationIgnored private let makeServices: @MainActor (ServerChoice) -> AppServices
  @ObservationIgnored private let serverMemory: ServerMemoryService
  @ObservationIgnored public let paneLayoutService: PaneLayoutService
  /// What knows the names of places.
  @ObservationIgnored public let placeFinder: PlaceFinder
  /// What fetches streets for this machine, whoever is signed in.
  @ObservationIgnored public let streetsStore: StreetsStore
  @ObservationIgnored let capabilities: Capabilities
  /// Whether it is a demo: then nothing of it is done outside, no hook and no status file.
  @ObservationIgnored let isDemo: Bool
  /// Whether this client acts for its profile; nil for one that never shares a profile, and for a
  /// guest's and a demo's, which act for nobody.
  @ObservationIgnored let actingClient: ActingClient?
  /// What runs hooks; nil where none are.
  @ObservationIgnored let hookRunner: HookRunner?
  @ObservationIgnored private let folders: RallyFolders
  @ObservationIgnored private let invitationLookup: InvitationLookup
  /// What happens once somebody signed in or up here; a stored session does not count.
  @ObservationIgnored public var onSignIn: (@MainActor (AppServices) async -> Void)?
  @ObservationIgnored private var isSigningOut = false
  /// Why the last sign-in is not kept for the next start, in a sentence; nil if it is.
  @ObservationIgnored public private(set) var unkept: String?

  /// - Parameters:
  ///   - server: The server to begin with.
  ///   - invitation: A code or a link to show once somebody is signed in.
  ///   - capabilities: What the person may have done on this host.
  ///   - invitationLookup: Asks other servers what a link gives.
  ///   - placeFinder: What knows the names of places.
  ///   - isDemo: Whether it is a demo.
  ///   - actingClient: Which client of the profile acts; nil for one that acts for nobody.
  ///   - hookRunner: What runs hooks; nil where none are.
  ///   - makeServices: Composes the services for a server.
  public init(
    server: ServerChoice, folders: RallyFolders, isNewcomer: Bool = true,
    invitation: String? = nil, capabilities: Capabilities = .owner,
    invitationLookup: InvitationLookup = InvitationLookup(),
    placeFinder: PlaceFinder = .none, isDemo: Bool = false, actingClient: ActingClient? = nil,
    hookRunner: HookRunner? = nil, runtimePolicyCoordinator: RuntimePolicyCoordinator,
    makeServices: @escaping @MainActor (ServerChoice) -> AppServices
  ) {
    phase = .signedOut(notice: nil)
    services = makeServices(server)
    self.isNewcomer = isNewcomer
    self.invitation = invitation
    self.capabilities = capabilities
    self.folders = folders
    self.invitationLookup = invitationLookup
    let state = PersistenceService(folder: folders.profileState)
    serverMemory = ServerMemoryService(persistenceService: state)
    paneLayoutService = PaneLayoutService(persistenceService: state)
    self.placeFinder = placeFinder
    self.isDemo = isDemo
    self.actingClient = actingClient
    self.hookRunner = hookRunner
    streetsStore = StreetsStore(
      folder: folders.streets, finder: placeFinder,
      runtimePolicyCoordinator: runtimePolicyCoordinator)
    self.runtimePolicyCoordinator = runtimePolicyCoordinator
    self.makeServices = makeServices
  }

  /// Takes up the stored session and what was last seen, before the first frame is drawn.
  public func restore() async {
    await paneLayoutService.restore()
    guard await services.authService.restoreSession() != nil else {
      if invitation != nil { Task { await lookUpInvitation() } }
      return
    }
    await enter()
  }

  /// Somebody signed in or signed up with the present services.
  public func signedIn() async {
    do {
      try await serverMemory.remember(services.server)
      unkept = nil
    } catch {
      unkept = error.sentence
    }
    if let session = await services.authService.unkeptSession { unkept = session.sentence }
    await onSignIn?(services)
    await enter()
  }

  /// Signs out here at once, and on the server if it can be reached.
  public func signOut() async {
    isSigningOut = true
    defer { isSigningOut = false }
    do {
      try await services.accountMaintenanceService.signOut()
      leave(notice: nil)
    } catch let problem as SignOutProblem {
      leave(notice: problem.sentence)
    } catch {
      leave(notice: "Signed out, but a file could not be removed: \(error.sentence)")
    }
  }

  /// Deletes the account for good, with everything of it here and on the server, and goes back to the
  /// sign-in.
  ///
  /// - Throws: `AuthError`, such as `.invalidCredentials` for another password, if the server did not
  ///   say that it did; the session goes on then.
  public func deleteAccount(password: String) async throws(AuthError) {
    isSigningOut = true
    defer { isSigningOut = false }
    do {
      try await services.accountMaintenanceService.deleteAccount(password: password)
      leave(notice: "Your account is deleted.")
    } catch let error as AuthError {
      if await services.authService.currentSession == nil { leave(notice: Self.ended) }
      throw error
    } catch {
      leave(notice: "Your account is deleted, but a file could not be removed: \(error.sentence)")
    }
  }

  private static let ended = "Your session has ended. Sign in again."

  /// The session ended without the person's doing.
  public func sessionEnded() {
    // The server refuses what is on its way while an account is deleted: its answer says more.
    guard !isSigningOut else { return }
    leave(notice: Self.ended)
  }

  /// Another process of this profile signed in or out.
  ///
  /// - Parameter userID: Who is signed in now; nil for nobody.
  public func accountChanged(to userID: UUID?) async {
    guard !isSigningOut, let stores, stores.userID != userID else { return }
    leave(notice: userID == nil ? "You signed out in another terminal." : nil)
    if userID != nil { await restore() }
  }

  public func choose(_ server: ServerChoice) {
    guard capabilities.contains(.otherServers), server != services.server else { return }
    replaceServices(server)
    phase = .signedOut(notice: nil)
    generation += 1
  }

  /// Ends what the services began, so that the embedded server may end.
  public func close() async {
    await stores?.watch.endFed()
    await saveState()
    await services.stop()
  }

  /// Writes drafts, snapshots and the synchronization trace to their files; returns once that
  /// is done.
  public func saveState() async {
    if let stores {
      services.interfaceMemory.note(services.navigationService.selectedTab)
      await services.interfaceMemory.save()
      await stores.saveState()
    }
    await services.syncTraceService.flush()
  }

  /// The stores of the present session; nil while nobody is signed in.
  public var stores: SharedStores? { if case .signedIn(let stores) = phase { stores } else { nil } }

  /// Makes the stores of a session, once, and fills them from the cache for the first frame.
  private func enter() async {
    isNewcomer = false
    let stores = SharedStores(
      services, placeFinder: placeFinder, userID: await services.authService.currentUserID)
    await stores.restoreFromCache()
    await services.interfaceMemory.restore()
    services.navigationService.select(services.interfaceMemory.tab)
    if case .found(let found) = lookup, services.server.url == found.server.url {
      // An operator's code made the account, and nothing else is to be shown.
      if found.invitation.inviter != nil { services.sharingCoordinator.welcome(found.code) }
    } else if let invitation {
      services.sharingCoordinator.arrived(invitation)
    }
    forgetInvitation()
    phase = .signedIn(stores)
    generation += 1
  }

  /// Lets the map begin at a place.
  ///
  /// - Parameter zoom: As the map engine counts; `MapStore.zoom`.
  public func look(at coordinate: Coordinate, zoom: Double) {
    stores?.map.centre = coordinate
    stores?.map.zoom = zoom
  }

  /// Shows what a link gives once nobody types, and once somebody is signed in.
  public func open(_ link: String) {
    guard stores != nil else {
      // Whoever shows the forms looks it up once nobody types.
      lookup = .nothing
      invitation = link
      return
    }
    services.sharingCoordinator.arrived(link)
  }

  /// Takes a link that somebody pasted who is not signed in, and looks it up at once.
  public func take(_ link: String) {
    guard stores == nil else { return }
    invitation = link
    Task { await lookUpInvitation() }
  }

  // MARK: - Invitations

  /// Asks the server of the waiting invitation what it gives, and chooses that server for the forms.
  ///
  /// - What: `lookup` goes to `.asking`, then to `.found` or `.refused`.
  /// - How: A code without a server is one of the chosen server, where that is a shared one.
  /// - Why: Whoever is invited has nothing but the link: neither an address to type nor an API key.
  /// - Service Calls: `InvitationLookup.find`
  public func lookUpInvitation() async {
    guard stores == nil, let text = invitation, MissionLink(text) == nil else { return }
    let link: InvitationLink
    do throws(FieldProblem) {
      let read = try InvitationLink(text)
      guard let url = read.server ?? services.server.url else { return }
      link = InvitationLink(code: read.code, server: url, plainServer: read.plainServer)
    } catch {
      lookup = .refused(.init(sentence: error.advice, canRetry: false))
      return
    }
    guard let url = link.server,
      capabilities.contains(.otherServers) || link.isFrom(services.server)
    else { return }
    lookup = .asking(url)
    do throws(InvitationLookup.Problem) {
      let found = try await invitationLookup.find(link)
      guard stores == nil, invitation == text else { return }
      if case .remote(let url, let key, _, _) = found.server {
        // Without it the key is asked for again; the account remembers it too.
        try? await serverMemory.note(url, key: key)
      }
      lookup = .found(found)
      choose(found.server)
    } catch {
      if stores == nil, invitation == text { lookup = .refused(error) }
    }
  }

  /// Goes on without the invitation that waits.
  public func forgetInvitation() {
    invitation = nil
    lookup = .nothing
  }

  /// The profile for an invitation of another server: the one that used it last, or a new name.
  public func profile(for url: ServerURL) async -> String {
    await ServerMemoryService.profile(using: url, in: folders)
      ?? folders.newProfile(forHost: url.host)
  }

  /// Why a profile for that invitation cannot have this name; nil if it can.
  ///
  /// - Parameter offered: The name that `profile(for:)` found.
  public func problem(ofProfile name: String, insteadOf offered: String) -> String? {
    do {
      let name = try RallyFolders.validated(profile: name)
      let isTaken = name != offered && folders.profiles(first: folders.profile).contains(name)
      return isTaken ? "There is a profile of this name; choose another." : nil
    } catch {
      return error.sentence
    }
  }

  /// Has the program go on as another profile, with a link; the caller ends it here.
  public func handOver(to profile: String, with link: InvitationLink) {
    handover = ProfileHandover(profile: profile, link: link.description)
  }

  private func leave(notice: String?) {
    guard stores != nil else { return }
    replaceServices(services.server)
    phase = .signedOut(notice: notice)
    generation += 1
  }

  private func replaceServices(_ server: ServerChoice) {
    let former = services
    services = makeServices(server)
    Task { await former.stop() }
  }
}

/// How far the question is what an invitation gives, before anybody is signed in.
public enum InvitationSearch: Hashable, Sendable {
  case nothing
  case asking(ServerURL)
  case found(FoundInvitation)
  case refused(InvitationLookup.Problem)
}

/// Where a program goes on: as another profile, with a link.
public struct ProfileHandover: Hashable, Sendable {
  public let profile: String
  public let link: String

  public init(profile: String, link: String) {
    self.profile = profile
    self.link = link
  }
}

private struct RallySessionKey: EnvironmentKey {
  static var defaultValue: RallySession? { nil }
}

extension EnvironmentValues {
  /// The running session; nil only outside the program's own tree.
  public var rallySession: RallySession? {
    get { self[RallySessionKey.self] }
    set { self[RallySessionKey.self] = newValue }
  }
}
