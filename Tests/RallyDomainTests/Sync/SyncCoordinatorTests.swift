import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct SyncCoordinatorTests {
  private let constrained = SyncPreferences(
    shouldEnableSocialRealtime: false, shouldEnableMapRealtime: false, syncInterval: .seconds(45))

  /// What has been emitted so far.
  private func labels(_ coordinator: SyncCoordinator) -> [String] {
    coordinator.trace.map(\.directive)
  }

  @Test func `it starts once`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    coordinator.start(preferences: constrained)
    #expect(
      labels(coordinator) == [
        "join realtime", "stop polling", "join map realtime", "pace map every 15 s",
        "refresh (start)",
      ])
  }

  @Test func `directives from before the first reader are kept for it`() async {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: constrained)
    var heard: [SyncDirective] = []
    for await directive in coordinator.directives() {
      heard.append(directive)
      if heard.count == 5 { break }
    }
    #expect(
      heard == [
        .leaveRealtime, .poll(every: .seconds(45)), .leaveMapRealtime,
        .paceMap(every: .seconds(45)), .refresh(.start),
      ])
  }

  @Test func `after it was stopped it emits nothing`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    let before = coordinator.trace.count
    coordinator.stop()
    coordinator.policyChanged(constrained)
    coordinator.syncOnSleep()
    coordinator.syncOnRequest()
    #expect(coordinator.trace.count == before)
  }

  @Test func `a constrained policy leaves realtime and polls, a normal one joins again`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    coordinator.policyChanged(constrained)
    #expect(!coordinator.isRealtimeOn)
    coordinator.policyChanged(
      SyncPreferences(
        shouldEnableSocialRealtime: false, shouldEnableMapRealtime: false,
        syncInterval: .seconds(60)))
    coordinator.policyChanged(SyncPreferences())
    coordinator.policyChanged(SyncPreferences())
    #expect(
      Array(labels(coordinator).dropFirst(5)) == [
        "leave realtime", "poll every 45 s", "leave map realtime", "pace map every 45 s",
        "poll every 60 s", "pace map every 60 s", "join realtime", "stop polling",
        "join map realtime", "pace map every 15 s",
      ])
  }

  @Test func `coming back checks the link and fetches, once`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    coordinator.syncOnForeground()
    #expect(labels(coordinator).count == 5)
    coordinator.syncOnBackground()
    coordinator.syncOnBackground()
    coordinator.syncOnForeground()
    #expect(
      Array(labels(coordinator).dropFirst(5)) == [
        "save state", "check link", "refresh (foreground)",
      ])
  }

  @Test func `a focus over a live channel fetches nothing, and reports that follow do nothing`() {
    var now = ContinuousClock.now
    let coordinator = SyncCoordinator(clock: { now })
    coordinator.start(preferences: SyncPreferences())
    for _ in 0..<200 { coordinator.syncOnFocus(isLive: true) }
    now += .seconds(5)
    for _ in 0..<200 { coordinator.syncOnFocus(isLive: false) }
    #expect(
      Array(labels(coordinator).dropFirst(5)) == [
        "check link", "check link", "refresh (foreground)",
      ])
    coordinator.syncOnBlur()
    #expect(labels(coordinator).last == "save state")
  }

  @Test func `a minute of focus reports without a channel fetches at the policy's interval`() {
    var now = ContinuousClock.now
    let coordinator = SyncCoordinator(clock: { now })
    coordinator.start(preferences: SyncPreferences(syncInterval: .seconds(15)))
    for _ in 0..<200 {
      coordinator.syncOnFocus(isLive: false)
      now += .milliseconds(300)
    }
    let focused = labels(coordinator).dropFirst(5)
    #expect(focused.count { $0 == "refresh (foreground)" } == 4)
    #expect(focused.count { $0 == "check link" } == 12)
  }

  @Test func `waking from sleep checks the link and fetches, once`() {
    let coordinator = SyncCoordinator()
    coordinator.syncOnWake()
    #expect(coordinator.trace.isEmpty)
    coordinator.start(preferences: SyncPreferences())
    // logind and the link notice the same sleep.
    coordinator.syncOnWake()
    coordinator.syncOnWake()
    #expect(Array(labels(coordinator).dropFirst(5)) == ["check link", "refresh (wake)"])
  }

  @Test func `a request of the user checks the link and fetches, as often as it comes`() {
    let coordinator = SyncCoordinator()
    coordinator.syncOnRequest()
    #expect(coordinator.trace.isEmpty)
    coordinator.start(preferences: SyncPreferences())
    for _ in 0..<2 { coordinator.syncOnRequest() }
    #expect(
      Array(labels(coordinator).dropFirst(5)) == [
        "check link", "refresh (request)", "check link", "refresh (request)",
      ])
  }

  @Test func `the directives end with the coordinator`() async {
    var coordinator: SyncCoordinator? = SyncCoordinator()
    coordinator?.start(preferences: SyncPreferences())
    let directives = coordinator?.directives()
    coordinator = nil
    var count = 0
    if let directives { for await _ in directives { count += 1 } }
    #expect(count == 5)
  }

  @Test func `a network that comes back is used at once`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    coordinator.networkChanged(isAvailable: true)
    coordinator.networkChanged(isAvailable: false)
    #expect(labels(coordinator).count == 5)
    coordinator.networkChanged(isAvailable: true)
    #expect(
      Array(labels(coordinator).dropFirst(5)) == ["check link", "refresh (network back)"])
  }

  @Test func `nothing is emitted before the start`() {
    let coordinator = SyncCoordinator()
    coordinator.policyChanged(constrained)
    coordinator.syncOnBackground()
    coordinator.networkChanged(isAvailable: false)
    #expect(coordinator.trace.isEmpty)
  }

  @Test func `the trace keeps the newest two hundred, with their cause`() {
    let coordinator = SyncCoordinator()
    coordinator.start(preferences: SyncPreferences())
    for _ in 0..<150 {
      coordinator.syncOnBackground()
      coordinator.syncOnForeground()
    }
    #expect(coordinator.trace.count == 200)
    #expect(coordinator.trace.last?.cause == "foreground")
  }
}
