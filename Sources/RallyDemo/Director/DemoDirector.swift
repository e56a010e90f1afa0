import FoundationEssentials
import Logging
import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// Plays a demo script against a server. Each cast member has a client of its own and also reacts
/// to what the visitor does.
///
/// Does not poll: it sleeps until the next cue is due or a client receives an event.
public actor DemoDirector {
  private let script: DemoScript
  private let address: ServerAddress
  private let clock: DemoClock
  private let log = RallyLog.logger("Demo")

  private var players: [String: DemoClient] = [:]
  private var members: [String: CastMember] = [:]
  private var missionIDs: [MissionPlan.Key: UUID] = [:]
  private var visitorID: UUID?
  /// Pending cues, sorted by time.
  private var agenda: [Cue] = []
  private var plannedMinutes = 0
  private var listeners: [String: Task<Void, Never>] = [:]
  /// Usernames whose answer to the visitor's friend request is already scheduled.
  private var answering: Set<String> = []
  private var following: Set<UUID> = []
  /// Activity entries by the visitor that need no answer: already answered, or older than the demo.
  private var seenLines: Set<UUID> = []
  private var answerCount = 0
  private var sleeper: Task<Void, Never>?

  /// Delays before a cast member answers a friend request or invitation, and a mission message.
  private static let requestDelay = Duration.seconds(4)
  private static let lineDelay = Duration.milliseconds(2500)

  public init(script: DemoScript = DemoScript(), server: ServerAddress, clock: DemoClock) {
    self.script = script
    self.address = server
    self.clock = clock
  }

  // MARK: - Setup

  /// Creates the accounts, friendships, positions and missions that exist when the visitor arrives.
  ///
  /// - Returns: The visitor's credentials.
  /// - Throws: The error of the first request that failed; the demo cannot start then.
  public func prepare() async throws -> DemoVisitor {
    let visitor = try await signUpEverybody()
    visitorID = visitor.userID
    for member in script.cast { try await bind(member, to: visitor) }
    for friend in ["max", "noor", "tomas"] { try await befriend("ana", friend) }
    try await visitor.locationsService.setLocationSharing(userID: nil, mode: .approximate1km)
    try await share()
    for turn in DemoScript.before { try await perform(turn.act, by: turn.who, at: .zero) }
    for key in missionIDs.values { await noteLines(of: key) }
    await visitor.stop()
    players[visitor.username] = nil
    return DemoVisitor(email: DemoClient.email(visitor.username), password: DemoClient.password)
  }

  private func signUpEverybody() async throws -> DemoClient {
    let visitor = try await DemoClient(
      username: Cast.visitor.username, displayName: Cast.visitor.displayName,
      bio: Cast.visitor.bio, on: address)
    players[visitor.username] = visitor
    try await withThrowingTaskGroup(of: DemoClient.self) { [address, script] group in
      for member in script.cast {
        group.addTask {
          try await DemoClient(
            username: member.username, displayName: member.displayName, bio: member.bio,
            on: address)
        }
      }
      for try await player in group { players[player.username] = player }
    }
    for member in script.cast { members[member.username] = member }
    return visitor
  }

  private func bind(_ member: CastMember, to visitor: DemoClient) async throws {
    guard let player = players[member.username] else { return }
    switch member.bond {
    case .friend:
      try await player.friendsService.requestFriend(userID: visitor.userID)
      try await visitor.friendsService.respondToFriendRequest(userID: player.userID, accept: true)
    case .asked:
      try await visitor.friendsService.requestFriend(userID: player.userID)
      // The script schedules when they accept (`acceptVisitor`).
      answering.insert(member.username)
    case .stranger: return
    }
  }

  private func befriend(_ one: String, _ other: String) async throws {
    guard let one = players[one], let other = players[other] else { return }
    try await one.friendsService.requestFriend(userID: other.userID)
    try await other.friendsService.respondToFriendRequest(userID: one.userID, accept: true)
  }

  /// Sets each member's sharing mode and publishes their starting position.
  private func share() async throws {
    let time = clock.wall()
    try await withThrowingTaskGroup(of: Void.self) { [players, script] group in
      for member in script.cast {
        guard let player = players[member.username] else { continue }
        group.addTask {
          try await player.locationsService.setLocationSharing(userID: nil, mode: member.sharing)
          try await player.publish(member, after: .zero, at: time)
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: - Playing

  /// Connects every cast member to realtime, so that they appear online.
  public func connectAll() {
    for member in script.cast { bringOnline(member.username) }
  }

  /// Plays the script in real time until the task is cancelled.
  public func run() async {
    connectAll()
    while !Task.isCancelled {
      await play(until: clock.elapsed())
      await sleep(for: next - clock.elapsed())
    }
    close()
  }

  /// When the next cue is due, measured from the start of the demo.
  public var next: Duration {
    if agenda.isEmpty { planNextMinute() }
    return agenda.first?.at ?? .seconds(60 * plannedMinutes)
  }

  /// Performs all cues that are due at `elapsed`, in order.
  ///
  /// A cue whose request fails is logged and skipped: the visitor may have made it impossible.
  public func play(until elapsed: Duration) async {
    while next <= elapsed, !agenda.isEmpty {
      let cue = agenda.removeFirst()
      do {
        try await perform(cue.act, by: cue.who, at: cue.at)
      } catch {
        log.info("perform — \(cue.act.label) left out: \(type(of: error))")
      }
    }
  }

  /// Disconnects all cast members and stops playing.
  public func close() {
    for listener in listeners.values { listener.cancel() }
    listeners = [:]
    sleeper?.cancel()
  }

  private func planNextMinute() {
    agenda = script.cues(inMinute: plannedMinutes)
    plannedMinutes += 1
  }

  private func schedule(_ act: Act, by who: String, in delay: Duration) {
    let cue = Cue(clock.elapsed() + delay, who, act)
    let place = agenda.firstIndex { $0.at > cue.at } ?? agenda.endIndex
    agenda.insert(cue, at: place)
    if place == 0 { sleeper?.cancel() }
  }

  private func sleep(for duration: Duration) async {
    guard duration > .zero else { return }
    let sleeper = Task { _ = try? await DispatchSleep.for(duration, tolerance: .milliseconds(50)) }
    self.sleeper = sleeper
    await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
  }

  // MARK: - Actions

  private func perform(_ act: Act, by who: String, at elapsed: Duration) async throws {
    guard let player = players[who], let visitorID else { return }
    let time = clock.wall().advanced(by: min(.zero, elapsed - clock.elapsed()))
    switch act {
    case .publish:
      guard let member = members[who], listeners[who] != nil else { return }
      try await player.publish(member, after: elapsed, at: time)
    case .askVisitor: try await player.friendsService.requestFriend(userID: visitorID)
    case .acceptVisitor:
      answering.remove(who)
      try await player.friendsService.respondToFriendRequest(userID: visitorID, accept: true)
    case .signOff: await goOffline(who)
    case .comeBack:
      bringOnline(who)
      try await perform(.publish, by: who, at: elapsed)
    case .create(let key):
      missionIDs[key] = try await player.create(.plan(of: key), at: time).id
    case .invite(let key):
      guard let id = missionIDs[key] else { return }
      try await player.missionsService.inviteToMission(id, userIDs: [visitorID])
    case .join(let key):
      guard let id = missionIDs[key] else { return }
      _ = try await player.missionsService.joinMission(id)
    case .setOut(let key):
      guard let id = missionIDs[key], let member = members[who] else { return }
      let mission = try await player.missionsService.fetchMission(id)
      try await player.locationsService.beginOnMyWay(
        to: id, readers: mission.joined.map(\.userID).filter { $0 != player.userID })
      try await player.publish(member, after: elapsed, at: time)
    case .follow(let id): _ = try await player.missionsService.joinMission(id)
    case .checkIn(let key, let objective):
      guard let id = missionIDs[key] else { return }
      try await checkIn(who, player, mission: id, objective: objective, after: elapsed)
    case .say(let key, let text):
      guard let id = missionIDs[key] else { return }
      _ = try await player.missionsService.sayInMission(id, text: text)
    case .answer(let id, let text):
      _ = try await player.missionsService.sayInMission(id, text: text)
    }
  }

  private func checkIn(
    _ who: String, _ player: DemoClient, mission id: UUID, objective: Int,
    after elapsed: Duration
  ) async throws {
    let mission = try await player.missionsService.fetchMission(id)
    guard let member = members[who], mission.objectives.indices.contains(objective),
      let place = member.route.stand(after: elapsed).coordinate
    else { return }
    _ = try await player.missionsService.checkIn(
      mission.objectives[objective].id, of: id, at: place,
      accuracyMetres: member.route.travel.accuracyMetres)
  }

  // MARK: - Reacting to events

  private func bringOnline(_ who: String) {
    guard listeners[who] == nil, let player = players[who] else { return }
    listeners[who] = Task { [weak self] in
      await DemoListener(player: player).listen { [weak self] news in
        await self?.receive(news, by: player)
      }
    }
  }

  private func goOffline(_ who: String) async {
    listeners.removeValue(forKey: who)?.cancel()
    await players[who]?.friendsRealtimeService.leave()
    await players[who]?.missionActivityRealtimeService.leave()
  }

  private func receive(_ news: DemoEvent, by player: DemoClient) async {
    do {
      switch news {
      case .friendships: try await answerRequest(to: player)
      case .missions: try await answerInvitation(to: player)
      case .activity(let missionID): try await answerLine(in: missionID, by: player)
      }
    } catch {
      log.info("event — not answered: \(type(of: error))")
    }
  }

  private func answerRequest(to player: DemoClient) async throws {
    guard !answering.contains(player.username) else { return }
    let requests = try await player.friendsService.fetchFriendRequests(direction: .incoming)
    guard requests.contains(where: { $0.profile.id == visitorID }),
      answering.insert(player.username).inserted
    else { return }
    schedule(.acceptVisitor, by: player.username, in: Self.requestDelay)
  }

  /// Schedules joining for missions that the visitor created and invited this member to.
  private func answerInvitation(to player: DemoClient) async throws {
    let missions = try await player.missionsService.fetchMissions(scope: .active)
    for mission in missions where mission.myState == .invited && mission.isCreator(visitorID) {
      guard following.insert(mission.id).inserted else { continue }
      schedule(.follow(missionID: mission.id), by: player.username, in: Self.requestDelay)
    }
  }

  /// Schedules an answer to the visitor's latest activity in a mission. Only one member answers:
  /// the mission's creator, or for a visitor's mission whoever joined it.
  private func answerLine(in missionID: UUID, by player: DemoClient) async throws {
    let plan = missionIDs.first { $0.value == missionID }.map { MissionPlan.plan(of: $0.key) }
    guard plan.map({ $0.creator == player.username }) ?? following.contains(missionID) else {
      return
    }
    let lines = try await player.missionsService.fetchMissionActivity(
      missionID: missionID, limit: 5)
    for line in lines where line.userID == visitorID {
      guard let pool = DemoLines.answers(to: line.kind), seenLines.insert(line.id).inserted else {
        continue
      }
      let text = pool[answerCount % pool.count]
      answerCount += 1
      schedule(.answer(missionID: missionID, text), by: player.username, in: Self.lineDelay)
      return
    }
  }

  /// Marks existing activity as answered, so that nobody replies to it after the demo starts.
  private func noteLines(of missionID: UUID) async {
    for player in players.values {
      let lines = try? await player.missionsService.fetchMissionActivity(missionID: missionID)
      for line in lines ?? [] { seenLines.insert(line.id) }
    }
  }
}

/// The visitor's credentials on the demo server.
public struct DemoVisitor: Hashable, Sendable, Codable {
  public var email: String
  public var password: String
}

extension Act {
  /// The case name without associated values, for the log.
  fileprivate var label: String { String(describing: self).prefix { $0 != "(" }.description }
}

/// The demo's clock: elapsed time and wall-clock time, injected so that tests can control both.
public struct DemoClock: Sendable {
  /// Time since the demo started.
  public var elapsed: @Sendable () -> Duration
  public var wall: @Sendable () -> WireTime

  public init(
    elapsed: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> WireTime
  ) {
    self.elapsed = elapsed
    self.wall = wall
  }

  /// A clock that starts now and pauses while the machine sleeps, so that waking does not play an
  /// hour of events at once.
  public static func running() -> DemoClock {
    let start = SuspendingClock.now
    return DemoClock(elapsed: { SuspendingClock.now - start }, wall: { .now })
  }
}
