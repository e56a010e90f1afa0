import Foundation
import Observation
import RallyDomain

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
    case signedIn
  }

  public private(set) var phase: Phase
  public private(set) var services: AppServices
  public private(set) var generation = 0
  /// Whether this profile never signed in: it is offered a new account first.
  public private(set) var isNewcomer: Bool
  /// A code or a link that waits for somebody to be signed in.
  private(set) var invitation: String?

  @ObservationIgnored public let runtimePolicyCoordinator: RuntimePolicyCoordinator
  @ObservationIgnored private let makeServices: @MainActor (ServerChoice) -> AppServices
  @ObservationIgnored private let serverMemory: ServerMemoryService
  @ObservationIgnored let paneLayoutService: PaneLayoutService
  @ObservationIgnored private var preparedStores: SharedStores?
  @ObservationIgnored private var shownStores: SharedStores?

  /// - Parameters:
  ///   - server: The server to begin with.
  ///   - invitation: A code or a link to show once somebody is signed in.
  ///   - makeServices: Composes the services for a server.
  public init(
    server: ServerChoice, folders: RallyFolders, isNewcomer: Bool = true,
    invitation: String? = nil, runtimePolicyCoordinator: RuntimePolicyCoordinator,
    makeServices: @escaping @MainActor (ServerChoice) -> AppServices
  ) {
    phase = .signedOut(notice: nil)
    services = makeServices(server)
    self.isNewcomer = isNewcomer
    self.invitation = invitation
    serverMemory = ServerMemoryService(folders: folders)
    paneLayoutService = PaneLayoutService(
      persistenceService: PersistenceService(folder: folders.profileState))
    self.runtimePolicyCoordinator = runtimePolicyCoordinator
    self.makeServices = makeServices
  }

  /// Takes up the stored session and what was last seen, before the first frame is drawn.
  public func restore() async {
    await paneLayoutService.restore()
    guard await services.authService.restoreSession() != nil else { return }
    await enter()
  }

  /// Somebody signed in or signed up with the present services.
  public func signedIn() async {
    // A memory that cannot be written costs a question at the next start, nothing else.
    try? await serverMemory.remember(services.server)
    await enter()
  }

  /// Signs out here at once, and on the server if it can be reached.
  public func signOut() async {
    do {
      try await services.signOut()
      leave(notice: nil)
    } catch let problem as SignOutProblem {
      leave(notice: problem.sentence)
    } catch {
      leave(notice: "Signed out, but a file could not be removed: \(error.sentence)")
    }
  }

  /// The session ended without the person's doing.
  public func sessionEnded() {
    leave(notice: "Your session has ended. Sign in again.")
  }

  public func choose(_ server: ServerChoice) {
    guard server != services.server else { return }
    replaceServices(server)
    phase = .signedOut(notice: nil)
    generation += 1
  }

  /// Ends what the services began, so that the embedded server may end.
  public func close() async {
    await saveState()
    await services.stop()
  }

  /// Returns once what is shown is written down.
  func saveState() async { await shownStores?.saveState() }

  /// The stores that were filled from the cache for the first frame; a view owns them from then
  /// on.
  func takeStores() -> SharedStores {
    let stores = preparedStores ?? SharedStores(services)
    preparedStores = nil
    shownStores = stores
    return stores
  }

  private func enter() async {
    isNewcomer = false
    let stores = SharedStores(services)
    await stores.restoreFromCache()
    preparedStores = stores
    if let invitation { services.sharingCoordinator.open(invitation) }
    invitation = nil
    phase = .signedIn
    generation += 1
  }

  private func leave(notice: String?) {
    guard phase == .signedIn else { return }
    replaceServices(services.server)
    shownStores = nil
    phase = .signedOut(notice: notice)
    generation += 1
  }

  private func replaceServices(_ server: ServerChoice) {
    let former = services
    services = makeServices(server)
    Task { await former.stop() }
  }
}

/// The stores that outlive a change of tabs.
@MainActor
struct SharedStores {
  let social: SocialStore
  let map: MapStore
  let locationSharing: LocationSharingStore
  let missions: MissionsStore
  let drafts: StoreContainer<DraftServices>

  init(_ services: AppServices) {
    social = services.makeSocialStore()
    map = services.makeMapStore()
    locationSharing = services.makeLocationSharingStore(placeFinder: .world)
    missions = services.makeMissionsStore()
    drafts = services.makeDraftStores()
  }

  func restoreFromCache() async {
    async let people: Void = social.restoreFromCache()
    async let positions: Void = map.restoreFromCache()
    async let sharing: Void = locationSharing.restoreFromCache()
    async let games: Void = missions.restoreFromCache()
    _ = await (people, positions, sharing, games)
  }

  func saveState() async {
    await social.saveState()
    await map.saveState()
    await locationSharing.saveState()
    await missions.saveState()
    await drafts.saveState()
  }
}

private struct RallySessionKey: EnvironmentKey {
  static var defaultValue: RallySession? { nil }
}

extension EnvironmentValues {
  /// The running session; nil only outside the program's own tree.
  var rallySession: RallySession? {
    get { self[RallySessionKey.self] }
    set { self[RallySessionKey.self] = newValue }
  }
}
