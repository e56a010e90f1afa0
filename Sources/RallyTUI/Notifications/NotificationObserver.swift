import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// Says what others do: on the screen, and outside of it to somebody who looks elsewhere.
private struct NotificationObserver: View {
  let content: AnyView
  let socialStore: SocialStore
  let missionsStore: MissionsStore
  let mapStore: MapStore
  let alertsStore: AlertsStore
  let locationSharingStore: LocationSharingStore

  @State private var announcer = Announcer()
  @Environment(\.actingClient) private var actingClient
  @Environment(\.actions) private var actions
  @Environment(\.capabilities) private var capabilities
  @Environment(\.configuration) private var configuration
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.desktopNotifier) private var desktopNotifier
  @Environment(\.hookRunner) private var hookRunner
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.rallySession) private var rallySession
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.terminal) private var terminal

  var body: some View {
    NewlyShownObserver(content: AnyView(alerts), mapStore: mapStore, socialStore: socialStore) {
      shown, after in
      let friends = socialStore.friends
      for sentence in SocialNotifications.sentences(shown: shown, friends: friends) {
        interface.say(sentence)
      }
      receive(SocialNotifications.events(shown: shown, friends: friends, after: after))
    }
    .onChanges(
      ChangeObserver(SocialStatus(socialStore)) { old, new in
        for sentence in SocialNotifications.sentences(from: old, to: new) {
          interface.say(sentence)
        }
        for question in SocialNotifications.questions(
          from: old, to: new, answer: actions.table.way(to: LocationAskActions.answer.id),
          dismiss: actions.table.way(to: LocationAskActions.dismiss.id))
        {
          interface.say(question)
        }
        receive(SocialNotifications.events(from: old, to: new))
      },
      ChangeObserver(MissionStatus(missionsStore)) { old, new in
        for sentence in MissionNotifications.sentences(from: old, to: new) {
          interface.say(sentence)
        }
        show(MissionNotifications.cards(from: old, to: new))
        receive(MissionNotifications.events(from: old, to: new))
      },
      ChangeObserver(arrivals) { old, new in
        guard new.rows != old.rows, !new.rows.isEmpty else { return }
        tellArrivals(after: old.asOf)
      },
      ChangeObserver(startedLive) { _, new in if !new.isEmpty { askAtStart() } },
      ChangeObserver(laterJoiners) { _, new in if !new.isEmpty { offerToLaterJoiners() } },
      ChangeObserver(terminal.hasFocus) { if $1 { desktop.seen() } },
      ChangeObserver(missionsStore.heardLines) { old, new in
        receive(MissionNotifications.events(from: old, to: new))
      },
      ChangeObserver(runtimePolicyCoordinator.policyLevel) { _, _ in
        hooks.receive(runtimePolicyCoordinator.policySentence)
      }
    )
    .task {
      guard let hookRunner else { return }
      for await problem in hookRunner.problems() { interface.say(problem, kind: .failure) }
    }
  }

  /// Other clients of the profile follow the file.
  private var alerts: some View {
    AlertObserver(
      content: content, isDeciding: actingClient?.isActing ?? true, alertsStore: alertsStore,
      socialStore: socialStore, mapStore: mapStore
    ) { news in
      for one in news { interface.say("@\(one.username) \(one.text).", kind: .success) }
      receive(
        news.map {
          NotificationEvent(.alert, username: $0.username, text: $0.text, after: .now)
        })
    }
  }

  /// Of nobody in a client that does not act: each arrival is told by one of them.
  private var arrivals: ArrivalStatus {
    ArrivalStatus(
      asOf: missionsStore.asOf,
      rows: actingClient?.isActing ?? true ? missionsStore.arrivals : [])
  }

  /// - Parameter after: When they had not arrived yet; nil where nothing was known before, and then
  ///   only the screen says it.
  private func tellArrivals(after: WireTime?) {
    Task {
      let rows = await missionsStore.takeArrivals()
      let me = missionsStore.userID
      for mission in rows.filter({ $0.userID == me }).compactMap({
        missionsStore.mission($0.missionID)
      }) {
        let key = actions.table.way(to: MissionActions.checkIn.id)
        interface.say(MissionNotifications.sentence(arrivedAt: mission, checkInKey: key))
      }
      let events = MissionNotifications.events(
        arrived: rows, besides: me, at: { missionsStore.mission($0)?.title },
        after: after ?? announcer.start)
      guard !events.isEmpty else { return }
      interface.say(Announcement.sentence(about: events), kind: .success)
      if after != nil { receive(events) }
    }
  }

  /// Nobody is asked by a client that does not act, as a ghost, or where nobody knows where I am.
  private var startedLive: [UUID] {
    guard actingClient?.isActing ?? true, locationSharingStore.ghostPhase == nil,
      currentLocationProvider.coordinate != nil
    else { return [] }
    return missionsStore.liveMissions.map(\.id)
  }

  private func askAtStart() {
    let (acts, key) = (onMyWayActs, actions.table.way(to: MissionActions.onMyWay.id))
    let questionKey = actions.table.way(to: WaitingQuestionActions.open.id)
    Task {
      for mission in await missionsStore.takeStartedLive() {
        acts.askAtStart(of: mission, key: key, questionKey: questionKey)
      }
    }
  }

  /// One client of the profile asks.
  private var laterJoiners: [LaterJoiners] {
    actingClient?.isActing ?? true ? missionsStore.laterJoiners : []
  }

  private func offerToLaterJoiners() {
    let (acts, key) = (onMyWayActs, actions.table.way(to: WaitingQuestionActions.open.id))
    Task {
      for later in await missionsStore.takeLaterJoiners() {
        acts.offer(to: later, questionKey: key)
      }
    }
  }

  private var onMyWayActs: OnMyWayActs {
    OnMyWayActs(
      sharing: locationSharingStore, missions: missionsStore, provider: currentLocationProvider,
      interface: interface, me: missionsStore.userID, now: .now)
  }

  private var hooks: HookDispatcher {
    let runner = HookDispatcher.runner(
      hookRunner, for: capabilities, isDemo: demoStatus != nil,
      isActing: actingClient?.isActing == true)
    return HookDispatcher(
      runner: runner,
      profile: rallySession?.services.folders.profile ?? "", configuration: configuration,
      start: announcer.start)
  }

  private var desktop: NotificationDispatcher {
    NotificationDispatcher(notifier: desktopNotifier, terminal: terminal)
  }

  /// Shows the card of a mission that was just completed once no key comes, but not over a dialog, the
  /// command line or a text that is typed: there the message stays.
  private func show(_ cards: [UUID]) {
    guard let card = cards.first else { return }
    Task {
      await terminal.quiet(for: interface.quietTime)
      guard !interface.isBusy(actions) else { return }
      interface.toasts.dismiss()
      interface.overlay = .missionCard(card)
    }
  }

  private func receive(_ events: [NotificationEvent]) {
    guard !events.isEmpty else { return }
    hooks.receive(events)
    announcer.receive(events) {
      configuration.notifications
    } screen: {
      ScreenStatus(
        tab: navigationService.selectedTab, route: navigationService.route,
        hasFocus: terminal.hasFocus)
    } announce: {
      desktop.notify($0, by: configuration.notifications.way)
    }
  }
}

extension View {
  func observeNotifications(
    _ socialStore: SocialStore, _ missionsStore: MissionsStore, _ mapStore: MapStore,
    _ alertsStore: AlertsStore, _ locationSharingStore: LocationSharingStore
  ) -> some View {
    NotificationObserver(
      content: AnyView(self), socialStore: socialStore, missionsStore: missionsStore,
      mapStore: mapStore, alertsStore: alertsStore, locationSharingStore: locationSharingStore)
  }
}
