import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallyGate
import RallySystem
import RallyWatch
import RallyWire

/// Links that show where I am to somebody who has only a browser.
///
/// The keys are in this process alone: it is the only feed of the links that it made. What is sent
/// is sealed here, at a beat that reveals nothing, and cut by my zones, my hours and the gate of
/// cells.
@MainActor
@Observable
public final class WatchStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let watchService: WatchService
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let serverHealthService: ServerHealthService
  @ObservationIgnored private let profileService: ProfileService
  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private let sharing: any WatchedSharing
  @ObservationIgnored private let places: PlaceFinder
  @ObservationIgnored private let ground: @Sendable (GridCell) async -> WatchGround?

  // MARK: - State
  /// Mine, the oldest first, those of other terminals too.
  public var links: [WatchLink] {
    sharing.links.map { WatchLink(record: $0, address: addresses[$0.linkID]) }
  }

  /// The latest failure to show; the view clears it.
  public internal(set) var presentedError: CommunityViewError?

  private var addresses: [WatchLinkID: String] = [:]
  @ObservationIgnored private var feeds: [WatchLinkID: WatchFeed] = [:]
  @ObservationIgnored private var gate: WatchGate?
  /// Each beat meets it again.
  @ObservationIgnored private var isGateFailureReported = false
  @ObservationIgnored private let turns = TaskTurns()
  @ObservationIgnored private let signals: AsyncStream<Void>
  /// Has `run` look what is due.
  @ObservationIgnored private let signal: AsyncStream<Void>.Continuation
  @ObservationIgnored private var timer: Task<Void, Never>?
  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("Watch")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - persistenceService: Where the gate's state is kept, in the state folder.
  ///   - sharing: Which ghost I am, what is held back, and where this device is.
  ///   - places: What finds the names of places.
  ///   - ground: The lines around a cell; nil where there are none.
  init(
    watchService: WatchService = .shared, authService: AuthService = .shared,
    serverHealthService: ServerHealthService = .shared, profileService: ProfileService = .shared,
    persistenceService: PersistenceService, sharing: any WatchedSharing, places: PlaceFinder,
    ground: @escaping @Sendable (GridCell) async -> WatchGround? = { _ in nil },
    now: @escaping () -> WireTime = { .now }
  ) {
    self.watchService = watchService
    self.authService = authService
    self.serverHealthService = serverHealthService
    self.profileService = profileService
    self.persistenceService = persistenceService
    self.sharing = sharing
    self.places = places
    self.ground = ground
    self.now = now
    (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  deinit { timer?.cancel() }

  // MARK: - Intents

  /// Makes a link, and sends what it shows at once.
  ///
  /// - What: A name and a key are made here; the server gets the name, the precision and the end.
  ///   What the browser of my phone feeds begins with my name and the end alone.
  /// - How: Refused without https, where no browser opens what is sealed. The cells of a coarse link are
  ///   this terminal's, so that a phone feeds precise ones alone.
  /// - Why: Whoever has no terminal sees me too, without trusting the server.
  /// - Service Calls: `ServerHealthService.fetchSettings`, `WatchService.makeLink`,
  ///   `WatchService.feedLink`, `ProfileService.fetchProfile`
  /// - Parameters:
  ///   - until: At most 24 hours ahead.
  ///   - isFromPhone: Whether my phone's browser feeds it, and not this terminal.
  /// - Returns: The link with its address.
  public func makeLink(
    _ mode: SharingMode, until: WireTime, isFromPhone: Bool = false
  ) async -> IntentOutcome<WatchLink> {
    if isFromPhone, mode != .precise {
      return Self.invalid(
        "A phone's link is precise: the cells of a coarse one are a terminal's.")
    }
    if until.since(now()) > WatchRules.longestLife {
      return Self.invalid("A link shows you for at most 24 hours.")
    }
    if sharing.ghostPhase != nil {
      return Self.invalid("You are a ghost; come back before you make a link.")
    }
    do {
      let settings = try await serverHealthService.fetchSettings()
      guard let server = settings.publicURL, server.lowercased().hasPrefix("https://") else {
        return Self.invalid(
          "Links to watch need https, which a browser opens what is sealed with: the"
            + " operator names the server's address (`rally serve --public-url https://…`).")
      }
      let name = try await profileService.fetchProfile()?.displayName ?? "Your friend"
      let address = WatchAddress.random()
      let secret = isFromPhone ? AccessSecret.random() : nil
      let record = try await watchService.makeLink(
        address.id, mode: mode, until: until, secret: secret)
      let feed = WatchFeed(address, record, name: name, server: server)
      if let secret { return .done(try await handOver(feed, with: secret, at: server)) }
      feeds[address.id] = feed
      addresses[address.id] = feed.link
      sharing.links.append(record)
      sharing.setWatched(true)
      await feedDue()
      signal.yield()
      return .done(WatchLink(record: record, address: feed.link))
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return Self.invalid("This server knows no links to watch; its operator upgrades it.")
    } catch {
      return .refused(presentFailure(error, title: "No link was made", source: "makeLink"))
    }
  }

  private static func invalid(_ advice: String) -> IntentOutcome<WatchLink> {
    .invalid(FieldProblem(field: .ends, advice: advice))
  }

  /// Tells the page on the phone whose link it is.
  private func handOver(
    _ feed: WatchFeed, with secret: AccessSecret, at server: String
  ) async throws -> WatchLink {
    var feed = feed
    do {
      let first = try feed.seal(nil, of: nil, at: now()).place
      _ = try await watchService.feedLink(feed.address.id, place: first, ground: nil)
    } catch {
      // Nobody else has its key.
      try? await watchService.endLinks(feed.address.id)
      throw error
    }
    sharing.links.append(feed.record)
    return WatchLink(
      record: feed.record, address: feed.link,
      phoneAddress: feed.address.phoneLink(at: server, with: secret))
  }

  /// Ends the links that this terminal feeds, since nothing can feed them after it.
  ///
  /// - What: The same as `endLinks`, for those whose key is in this process.
  /// - How: Waits so long at most; a server that is not reached shows the last place, with its age, until
  ///   the link's end.
  /// - Why: Whoever quits expects to be seen no more.
  /// - Service Calls: `WatchService.endLinks`
  public func endFed(within limit: Duration = .seconds(2)) async {
    let fed = Array(feeds.keys)
    guard !fed.isEmpty else { return }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let ending = Task {
      for id in fed where await endLinks(id).value == nil { break }
      end.finish()
    }
    let timer = Task {
      try? await DispatchSleep.for(limit)
      end.finish()
    }
    for await _ in ends {}
    ending.cancel()
    timer.cancel()
  }

  /// Ends a link, or all: pages show nothing from then on.
  ///
  /// - What: The links are gone from `links` once the server agreed.
  /// - How: Ends those of other terminals too; this one feeds them no more.
  /// - Why: Who shows where they are must be able to stop it at once, from any terminal.
  /// - Service Calls: `WatchService.endLinks`
  /// - Parameter id: nil for all, those of other terminals too.
  /// - Returns: How many ended.
  public func endLinks(_ id: WatchLinkID? = nil) async -> IntentOutcome<Int> {
    let isMeant: (WatchLinkID) -> Bool = { id == nil || id == $0 }
    do {
      try await watchService.endLinks(id)
      let ended = sharing.links.filter { isMeant($0.linkID) }
      forget { isMeant($0) }
      return .done(ended.count)
    } catch {
      return .refused(presentFailure(error, title: "The link has not ended", source: "endLinks"))
    }
  }

  /// Fetches my links; on failure the known ones stay.
  ///
  /// - What: Fills `links`; one that another terminal ended is fed no more.
  /// - How: Silent: what was known stays where the server is not reached.
  /// - Why: Links end elsewhere, and by themselves.
  /// - Service Calls: `WatchService.fetchLinks`
  public func refresh() async {
    do {
      let records = try await watchService.fetchLinks()
      let known = Set(records.map(\.linkID))
      if sharing.links != records { sharing.links = records }
      forget { !known.contains($0) }
    } catch {
      presentFailure(
        error, title: "Links are not up to date", source: "refresh", isPresented: false)
    }
  }

  private func forget(_ isOver: (WatchLinkID) -> Bool) {
    for id in feeds.keys where isOver(id) {
      feeds[id] = nil
      addresses[id] = nil
    }
    if sharing.links.contains(where: { isOver($0.linkID) }) {
      sharing.links.removeAll { isOver($0.linkID) }
    }
    sharing.setWatched(!feeds.isEmpty)
    signal.yield()
  }

  // MARK: - What a Link Shows

  /// What a link shows, in a sentence or two: `Whoever has the link sees where you are (precise)
  /// until 18:00.`, or that they will once this device has a position. Then what zones and hours
  /// hold back.
  ///
  /// - Parameter end: When it ends, in the words of the caller.
  public func meaning(of link: WatchLink, until end: String) -> String {
    let provider = sharing.currentLocationProvider
    let sees = SeenText.sentence(
      "Whoever has the link", sees: "where you are (\(link.record.mode.title))",
      in: link.record.mode,
      end: " until \(end)", isPlaceKnown: provider.own != nil)
    let heldBack = sharing.privacyRules.note(of: provider).map(LocationAnswer.caveat)
    return ["\(sees).", heldBack].compactMap(\.self).joined(separator: " ")
  }

  // MARK: - Feeding

  /// Whether this terminal feeds a link.
  public var isFeeding: Bool { !addresses.isEmpty }

  /// Feeds the links of this terminal at their beat, until the task is cancelled.
  ///
  /// - What: Sends each link's place, moved or not.
  /// - How: A timer runs only while there is a link.
  /// - Why: The times of messages must reveal nothing.
  /// - Service Calls: `WatchService.feedLink`
  public func run() async {
    signal.yield()
    for await _ in signals {
      await feedDue()
      timer?.cancel()
      timer = nil
      guard let next = feeds.values.map(\.next).min() else { continue }
      timer = Task { [signal] in
        guard (try? await DispatchSleep.until(next)) != nil else { return }
        signal.yield()
      }
    }
    timer?.cancel()
  }

  private func feedDue() async {
    await turns.run { [self] in
      for id in feeds.keys.sorted(by: { $0.value < $1.value }) {
        guard let feed = feeds[id], feed.next <= .now else { continue }
        await send(id)
      }
    }
  }

  /// Sends what each link shows without waiting for its beat; for tests.
  func feedNow() async {
    for id in feeds.keys { feeds[id]?.next = .now }
    await feedDue()
  }

  private func send(_ id: WatchLinkID) async {
    guard var feed = feeds[id] else { return }
    let time = now()
    guard time < feed.record.until else { return forget { $0 == id } }
    // The server ends it; until it has agreed to the ghost nothing is sent.
    guard sharing.ghostPhase == nil else { return }
    await show(&feed, at: time)
    feed.setNext()
    do {
      let cell = feed.newSurroundings
      let lines = if let cell { await ground(cell) } else { nil as WatchGround? }
      let messages = try feed.seal(lines, of: cell, at: time)
      feeds[id] = feed
      let watchers = try await watchService.feedLink(
        id, place: messages.place, ground: messages.ground)
      if let index = sharing.links.firstIndex(where: { $0.linkID == id }),
        sharing.links[index].watchers != watchers
      {
        sharing.links[index].watchers = watchers
      }
    } catch NetworkError.refused(let failure, _) where failure.reason == .notFound {
      log.info("send — the link has ended")
      forget { $0 == id }
    } catch {
      // The next beat sends it.
      presentFailure(
        error, title: "A link was not fed", source: "feedLink", isPresented: false)
      feeds[id]?.lostGround()
    }
  }

  /// Takes over where this device is, as far as it may leave; else what was shown stays, with its time.
  private func show(_ feed: inout WatchFeed, at time: WireTime) async {
    let rules = sharing.privacyRules
    let own = sharing.currentLocationProvider.own
    let mode = feed.record.mode
    let isFree =
      own.map { rules.limit(of: $0.fix, measuredAt: $0.lastKnownAt).mode >= mode } ?? false
    guard let level = mode.gridLevel else {
      if isFree, let fix = own?.fix { feed.show(fix, near: name(of: fix.coordinate)) }
      return
    }
    guard var gate = await keptGate() else { return }
    let cell: GridCell
    let since: WireTime
    if isFree, let fix = own?.fix, let owner = await authService.currentUserID {
      let isFirst = feed.isFirst && !feeds.values.contains { $0.record.mode == mode && !$0.isFirst }
      let announced = gate.report(
        fix.coordinate, level: level, of: owner.wireText, measured: fix.recordedAt,
        isFirst: isFirst, at: time)
      (cell, since) = (announced.cell, announced.since)
    } else if !feed.isFirst, feed.place.coordinate != nil,
      let announced = gate.announced(level, at: time)
    {
      (cell, since) = (announced.cell, announced.since)
    } else {
      return
    }
    await keep(gate)
    feed.show(cell, since: since, near: name(of: cell.center))
  }

  private func name(of place: Coordinate) -> String? {
    places.nearest(place).flatMap { nearest in
      nearest.name.map { name in
        place.distance(to: nearest.coordinate) < 10_000 ? "in \(name)" : "near \(name)"
      }
    }
  }

  // MARK: - The Gate

  /// nil while nobody is signed in, or the file cannot be read: then nothing coarse is shown.
  private func keptGate() async -> WatchGate? {
    if let gate { return gate }
    guard let userID = await authService.currentUserID else { return nil }
    let gate: WatchGate
    do {
      gate =
        try await persistenceService.retrieve(WatchGate.self, withKey: Self.key(userID: userID))
        ?? WatchGate()
    } catch {
      presentFailure(
        error, title: "Coarse links show no place", source: "keptGate",
        isPresented: !isGateFailureReported)
      isGateFailureReported = true
      return nil
    }
    self.gate = gate
    return gate
  }

  private func keep(_ gate: WatchGate) async {
    guard gate != self.gate, let userID = await authService.currentUserID else { return }
    self.gate = gate
    do {
      try await persistenceService.save(gate, withKey: Self.key(userID: userID))
    } catch {
      presentFailure(error, title: "A link's area is not kept", source: "keep", isPresented: false)
    }
  }

  nonisolated static func key(userID: UUID) -> String { "watch-\(userID.wireText)" }
}

private struct WatchStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = WatchStore.inert()
}

extension EnvironmentValues {
  public var watchStore: WatchStore {
    get { self[WatchStoreKey.self] }
    set { self[WatchStoreKey.self] = newValue }
  }
}
