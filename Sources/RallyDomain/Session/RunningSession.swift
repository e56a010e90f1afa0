import FoundationEssentials
import Logging
import RallyClient
import RallyState
import RallySystem
import RallyWire

/// A session while it runs: it synchronizes, publishes where I am, and says what others do.
///
/// It observes the stores and services of the session and needs no screen. Whoever shows one passes
/// it the tab, the focus, the foreground and the background, and shows its news.
@MainActor
public final class RunningSession {
  private let session: RallySession
  private let services: AppServices
  private let stores: SharedStores
  private let synchronizer: SessionSynchronizer
  private let notifications: SessionNotifications
  private let statusKeeping: StatusKeeping
  private let events = EventSource<SessionNews>()
  private let log = RallyLog.logger("Session")

  public init(_ session: RallySession, _ stores: SharedStores) {
    self.session = session
    self.stores = stores
    services = session.services
    synchronizer = SessionSynchronizer(session, stores)
    notifications = SessionNotifications(session, stores, events)
    statusKeeping = StatusKeeping(session, stores)
  }

  /// What happens from now on.
  public func news() -> AsyncStream<SessionNews> { events.stream() }

  /// Runs the session, until the task is cancelled.
  ///
  /// - What: Starts services and realtime, fetches, saves, publishes positions, follows files and says
  ///   what happens.
  /// - How: Carries out directives, and observes stores and services.
  /// - Why: What a session does by itself is the same with every screen, and without one.
  /// - Service Calls: `AppServices.start`, `LinkService.retryNow`
  /// - Parameter hasFocus: Whether the screen has the focus; true where there is none.
  public func run(hasFocus: Bool = true) async {
    notifications.hasFocus = hasFocus
    let observed =
      [ObservedChanges(of: self.presentedErrors) { _, errors in self.present(errors) }]
      + notifications.observe() + statusKeeping.observe()
    await withDiscardingTaskGroup { group in
      group.addTask { await self.synchronizer.run() }
      group.addTask { await self.followAccount() }
      group.addTask { await self.followSessionFile() }
      group.addTask { await self.followStorage() }
      group.addTask { await self.synchronizer.followSleep() }
      for store in stores.all { group.addTask { await store.run() } }
      group.addTask { await self.followWaits() }
      group.addTask { await self.followInvitations() }
      group.addTask { await self.notifications.followHooks() }
    }
    withExtendedLifetime(observed) {}
  }

  // MARK: - The Screen

  /// What hooks there are, and what is announced how.
  public func configurationChanged(_ configuration: Configuration) {
    notifications.configuration = configuration
  }

  /// Another tab is shown.
  public func tabChanged(to tab: RallyTab) { synchronizer.show(tab) }

  /// The program was stopped by ^Z or goes on.
  public func foregroundChanged(_ isForeground: Bool) {
    synchronizer.foregroundChanged(isForeground)
  }

  /// The screen has the focus or lost it.
  public func focusChanged(_ hasFocus: Bool) {
    notifications.hasFocus = hasFocus
    synchronizer.focusChanged(hasFocus)
  }

  /// Somebody who looks at the screen wants to see what a link gives.
  public func show(_ link: String) {
    if let mission = MissionLink(link) {
      services.navigationService.showMission(mission.id)
    } else {
      services.sharingCoordinator.open(link)
    }
  }

  // MARK: - Files and the Account

  private func followAccount() async {
    for await message in services.broadcastStudio.publisher {
      log.info("\(message.name) — from: \(message.origin)")
      switch message {
      case is SessionEnded: session.sessionEnded()
      case let changed as AccountChanged: await session.accountChanged(to: changed.userID)
      default: break
      }
    }
  }

  /// Says when what was signed in will not be there at the next start.
  private func followSessionFile() async {
    let authService = services.authService
    let events = authService.sessionEvents()
    var problem = session.unkept
    if let problem { warn(problem) }
    for await event in events where event == .refreshed {
      let unkept = await authService.unkeptSession?.sentence
      if let unkept, unkept != problem { warn(unkept) }
      problem = unkept
    }
  }

  private func warn(_ unkept: String) {
    events.send(
      .warning("You are signed in until Rally ends, and not at the next start: \(unkept)"))
  }

  private func followStorage() async {
    for await sentence in services.storageNotices.sentences() { events.send(.warning(sentence)) }
  }

  private func followWaits() async {
    for await wait in services.client.waits() { events.send(.information(wait.waitSentence)) }
  }

  private func followInvitations() async {
    for await directive in services.sharingCoordinator.directives() {
      switch directive {
      // Not awaited: a slow response to one code must not delay the next one.
      case .open(let code):
        Task.immediate { [stores] in await stores.invitations.open(code) }
        events.send(.invitation)
      case .refuse(let problem):
        stores.invitations.refuse(problem)
        events.send(.invitation)
      case .arrived(let link): events.send(.linkArrived(link))
      case .welcome(let code): Task.immediate { await self.welcome(code) }
      case .elsewhere(let link): Task.immediate { await self.offerProfile(for: link) }
      }
    }
  }

  /// Shows what somebody came for who signed up or in by a link; a sign-up has accepted it already.
  private func welcome(_ code: InvitationCode) async {
    let invitations = stores.invitations
    await invitations.open(code)
    guard case .offered(let offer) = invitations.phase else {
      if invitations.phase != .idle { events.send(.invitation) }
      return
    }
    if offer.isAccepted {
      invitations.dismiss()
    } else {
      guard await invitations.accept().isDone else {
        if invitations.phase != .idle { events.send(.invitation) }
        return
      }
      services.syncCoordinator.syncOnRequest()
    }
    events.send(.success(Self.welcome(to: offer)))
    if let mission = offer.mission {
      services.navigationService.showMission(mission.id)
    } else {
      services.navigationService.select(.map)
      stores.map.showFriendOnceSeen(offer.inviter.id)
    }
  }

  /// That somebody has what they came for.
  private static func welcome(to offer: InvitationOffer) -> String {
    guard let mission = offer.mission else {
      return "You and @\(offer.inviter.username) are friends now."
    }
    return "You are in \(mission.title)."
  }

  /// Offers a profile of its own for an invitation of another server, where there can be one.
  private func offerProfile(for link: InvitationLink) async {
    if let url = link.server, session.capabilities.contains(.otherServers) {
      stores.invitations.offerProfile(await session.profile(for: url), for: link)
    } else if let problem = link.problem(on: services.server) {
      stores.invitations.refuse(problem)
    }
    events.send(.invitation)
  }

  // MARK: - Failures

  private var presentedErrors: [CommunityViewError] {
    stores.all.compactMap { $0.presentedError }
  }

  private func present(_ errors: [CommunityViewError]) {
    guard !errors.isEmpty else { return }
    for error in errors { events.send(.failure(error)) }
    for store in stores.all { store.presentedError = nil }
  }
}

/// What a running session has to say to whoever shows it.
public enum SessionNews: Sendable {
  /// What happened, in a sentence.
  case information(String)
  /// The same, of something good.
  case success(String)
  /// What may be lost, in a sentence.
  case warning(String)
  /// Something that somebody waited for failed.
  case failure(CommunityViewError)
  /// Something went wrong that nobody waited for, in a sentence.
  case problem(String)
  /// A friend asks where I am, in a sentence.
  case locationAsked(String)
  /// I am where a mission is.
  case arrived(at: Mission)
  /// A live mission has started: am I on my way?
  case missionStarted(Mission)
  /// Others joined a mission to which I show the way.
  case laterJoiners(LaterJoiners)
  /// A mission was just completed with all that was to be done.
  case missionCompleted(UUID)
  /// For somebody who looks elsewhere, and how it is to reach them.
  case announcement(Announcement, by: NotificationWay)
  /// What a code gives was asked for, or why it was not.
  case invitation
  /// A link came from another program.
  case linkArrived(String)
}

/// Keeps the status of a session for `rally status`, while this client acts for the profile.
@MainActor
final class StatusKeeping {
  private let session: RallySession
  private let stores: SharedStores

  init(_ session: RallySession, _ stores: SharedStores) {
    self.session = session
    self.stores = stores
  }

  /// Keeps it for as long as the result is kept, or the stores.
  func observe() -> [AnyObject] {
    if isKeeping { keep(true) }
    return [
      ObservedChanges(of: self.isKeeping) { self.keep($1) },
      ObservedChanges(of: self.status) { _, _ in self.stores.statusKeeper.changed() },
    ]
  }

  private var isKeeping: Bool { !session.isDemo && session.actingClient?.isActing == true }

  /// Without its time, which alone is no change; nil while it is not kept.
  private var status: ClientStatus? {
    isKeeping ? stores.status(of: session, at: WireTime(microseconds: 0)) : nil
  }

  private func keep(_ isKeeping: Bool) {
    guard isKeeping else { return stores.statusKeeper.stop() }
    // The stores own the keeper.
    stores.statusKeeper.start { [weak stores, weak session] in
      session.flatMap { stores?.status(of: $0, at: .now) }
    }
  }
}
