import FoundationEssentials
import RallyClient
import RallyState
import RallySystem
import RallyWire

/// Follows what others do: says it, runs hooks for it, and announces it to somebody who looks
/// elsewhere.
@MainActor
final class SessionNotifications {
  /// Whether the window has the focus; true where that is not known.
  var hasFocus = true
  var configuration = Configuration()

  private let session: RallySession
  private let services: AppServices
  private let stores: SharedStores
  private let news: EventSource<SessionNews>
  private let announcer = Announcer()
  private let newlyShown = NewlyShown()

  init(_ session: RallySession, _ stores: SharedStores, _ news: EventSource<SessionNews>) {
    self.session = session
    self.stores = stores
    self.news = news
    services = session.services
  }

  /// What follows from each change, for as long as the result is kept.
  func observe() -> [AnyObject] {
    let (stores, policy) = (stores, session.runtimePolicyCoordinator)
    return [
      ObservedChanges(of: SocialStatus(stores.social)) { self.notify(from: $0, to: $1) },
      ObservedChanges(of: MissionStatus(stores.missions)) { self.notify(from: $0, to: $1) },
      ObservedChanges(of: stores.missions.receivedLines) {
        self.receive(MissionNotifications.events(from: $0, to: $1))
      },
      ObservedChanges(of: self.arrivals) { old, new in
        guard new.rows != old.rows, !new.rows.isEmpty else { return }
        Task { await self.notifyArrivals(areNew: old.hasFetched) }
      },
      ObservedChanges(of: self.startedLive) { _, missions in
        guard !missions.isEmpty else { return }
        Task {
          for mission in await stores.missions.takeStartedLive() {
            self.news.send(.missionStarted(mission))
          }
        }
      },
      ObservedChanges(of: self.laterJoiners) { _, later in
        guard !later.isEmpty else { return }
        Task {
          for later in await stores.missions.takeLaterJoiners() {
            self.news.send(.laterJoiners(later))
          }
        }
      },
      // Apart from the others, since positions change often.
      ObservedChanges(of: self.shown) { _, _ in
        // Read again: friends who were fetched in the same update are on the map only now.
        Task { self.newlyShown.receive(self.shown) { self.notify(newlyShown: $0) } }
      },
      ObservedChanges(of: self.watchedByAlerts) { _, watched in
        if let watched { Task { await self.look(at: watched.scene) } }
      },
      ObservedChanges(of: policy.policyLevel) { _, _ in
        self.hooks.receive(policy.policySentence)
      },
    ]
  }

  /// Says what goes wrong with hooks.
  func followHooks() async {
    guard let hookRunner = session.hookRunner else { return }
    for await problem in hookRunner.problems() { news.send(.problem(problem)) }
  }

  /// Whether this client acts for its profile; so does one that has no others beside it.
  private var isActing: Bool { session.actingClient?.isActing ?? true }

  // MARK: - People

  private func notify(from old: SocialStatus, to new: SocialStatus) {
    say(SocialNotifications.sentences(from: old, to: new))
    for sentence in SocialNotifications.questions(from: old, to: new) {
      news.send(.locationAsked(sentence))
    }
    receive(SocialNotifications.events(from: old, to: new))
    let newcomers = SocialNotifications.newcomers(from: old, to: new)
    if !newcomers.isEmpty { Task { await notifyGuests(among: newcomers) } }
  }

  /// Says who of new friends came by a code of mine. Nobody waits for that, so a failure is silent.
  private func notifyGuests(among newcomers: Set<String>) async {
    let guests = try? await services.invitationsService.fetchGuests(among: newcomers)
    for guest in guests ?? [] { news.send(.success("@\(guest) came by your invitation.")) }
  }

  private var shown: ShownPositions {
    ShownPositions(stores.map, stores.social)
  }

  private func notify(newlyShown shown: [UUID: SharingMode]) {
    let friends = stores.social.friends
    say(SocialNotifications.sentences(shown: shown, friends: friends))
    receive(SocialNotifications.events(shown: shown, friends: friends))
  }

  // MARK: - Alerts

  private struct WatchedByAlerts: Equatable {
    var alerts: [LocationAlert]
    var scene: AlertScene
  }

  /// Nil while there is nothing to decide: then no position is followed. Other clients of the profile
  /// follow the file.
  private var watchedByAlerts: WatchedByAlerts? {
    let alerts = stores.alerts.alerts
    guard isActing, !alerts.isEmpty else { return nil }
    let scene = AlertScene(
      stores.social, stores.map, services.currentLocationProvider, at: .now)
    return scene.isCurrent ? WatchedByAlerts(alerts: alerts, scene: scene) : nil
  }

  private func look(at scene: AlertScene) async {
    let alerts = await stores.alerts.look(at: scene)
    for one in alerts { news.send(.success("@\(one.username) \(one.text).")) }
    receive(
      alerts.map { NotificationEvent(.alert, username: $0.username, text: $0.text) })
  }

  // MARK: - Missions

  private func notify(from old: MissionStatus, to new: MissionStatus) {
    say(MissionNotifications.sentences(from: old, to: new))
    if let card = MissionNotifications.cards(from: old, to: new).first {
      news.send(.missionCompleted(card))
    }
    receive(MissionNotifications.events(from: old, to: new))
  }

  /// Of nobody in a client that does not act: each arrival is announced by one of them.
  private var arrivals: ArrivalStatus {
    ArrivalStatus(
      hasFetched: stores.missions.hasFetched, rows: isActing ? stores.missions.arrivals : [])
  }

  /// - Parameter areNew: Whether they had not arrived yet when this program fetched before; else only
  ///   the screen says it.
  private func notifyArrivals(areNew: Bool) async {
    let missions = stores.missions
    let rows = await missions.takeArrivals()
    let me = missions.userID
    for row in rows where row.userID == me {
      if let mission = missions.mission(row.missionID) { news.send(.arrived(at: mission)) }
    }
    let events = MissionNotifications.events(
      arrived: rows, besides: me, at: { missions.mission($0)?.title })
    guard !events.isEmpty else { return }
    news.send(.success(Announcement.sentence(about: events)))
    if areNew { receive(events) }
  }

  /// Nobody is asked by a client that does not act, as a ghost, or without a position.
  private var startedLive: [UUID] {
    guard isActing, stores.locationSharing.ghostPhase == nil,
      services.currentLocationProvider.coordinate != nil
    else { return [] }
    return stores.missions.liveMissions.map(\.id)
  }

  /// One client of the profile asks.
  private var laterJoiners: [LaterJoiners] { isActing ? stores.missions.laterJoiners : [] }

  // MARK: - Elsewhere

  private var hooks: HookDispatcher {
    HookDispatcher(
      runner: HookDispatcher.runner(
        session.hookRunner, for: session.capabilities, isDemo: session.isDemo,
        isActing: session.actingClient?.isActing == true),
      profile: services.folders.profile, configuration: configuration)
  }

  private func say(_ sentences: [String]) {
    for sentence in sentences { news.send(.information(sentence)) }
  }

  private func receive(_ events: [NotificationEvent]) {
    guard !events.isEmpty else { return }
    hooks.receive(events)
    let navigationService = services.navigationService
    announcer.receive(events) { [weak self] in
      self?.configuration.notifications ?? NotificationSettings()
    } screen: { [weak self] in
      ScreenStatus(
        tab: navigationService.selectedTab, route: navigationService.route,
        hasFocus: self?.hasFocus ?? true)
    } announce: { [weak self] in
      guard let self else { return }
      news.send(.announcement($0, by: configuration.notifications.way))
    }
  }
}

/// Hands events to the hooks of the configuration: whatever a notification could say. Quiet hours
/// and what the screen shows do not count, since a program decides by itself. Muted people and what
/// may be long past are left out.
@MainActor
struct HookDispatcher {
  /// Nil where nothing is run: for a guest, in a demo, and while another client acts.
  let runner: HookRunner?
  let profile: String
  let configuration: Configuration

  /// The runner where hooks are run: for the owner of the host's account, outside of the demo, in
  /// the one client that acts for the profile.
  static func runner(
    _ runner: HookRunner?, for capabilities: Capabilities, isDemo: Bool, isActing: Bool
  ) -> HookRunner? {
    capabilities.contains(.hooks) && !isDemo && isActing ? runner : nil
  }

  func receive(_ events: [NotificationEvent]) {
    guard let runner else { return }
    let muted = configuration.notifications.muted
    for event in events where event.isNew {
      if muted.contains(where: { $0.value == event.username?.lowercased() }) { continue }
      runner.run(
        HookEvent(event, profile: profile, at: .now), settings: configuration.hooks)
    }
  }

  func receive(_ policy: PolicySentence) {
    runner?.run(
      HookEvent(policy: policy, profile: profile, at: .now), settings: configuration.hooks)
  }
}
