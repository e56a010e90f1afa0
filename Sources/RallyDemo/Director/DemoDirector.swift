import Foundation
import Logging
import RallyDomain
import RallyWire

/// Performs a script against a server, each of the cast through a client of their own, and lets
/// them answer what the visitor does.
///
/// Nothing ticks: it sleeps until the next act, or until somebody hears news.
public actor DemoDirector {
  private let script: DemoScript
  private let address: ServerAddress
  private let clock: DemoClock
  private let log = RallyLog.logger("Demo")

  private var players: [String: DemoPlayer] = [:]
  private var members: [String: CastMember] = [:]
  private var missionIDs: [MissionPlan.Key: UUID] = [:]
  private var visitorID: UUID?
  /// What is still to come, in order.
  private var agenda: [Cue] = []
  private var plannedMinutes = 0
  private var listeners: [String: Task<Void, Never>] = [:]
  /// Who has a request of the visitor's on their mind.
  private var answering: Set<String> = []
  private var following: Set<UUID> = []
  /// Lines of the visitor's that somebody has answered, or heard before it was worth an answer.
  private var heardLines: Set<UUID> = []
  private var answerCount = 0
  private var sleeper: Task<Void, Never>?

  /// How long somebody takes to answer.
  private static let requestDelay = Duration.seconds(4)
  private static let lineDelay = Duration.milliseconds(2500)

  public init(script: DemoScript = DemoScript(), server: ServerAddress, clock: DemoClock) {
    self.script = script
    self.address = server
    self.clock = clock
  }

  // MARK: - Before

  /// Makes the accounts, friendships, positions and missions that the visitor meets.
  ///
  /// - Returns: How the visitor signs in.
  /// - Throws: What the server said; there is no demo then.
  public func prepare() async throws -> DemoVisitor {
    let visitor = try await signUpEverybody()
    visitorID = visitor.userID
    for member in script.cast { try await bind(member, to: visitor) }
    try await befriend("ana", "max")
    try await visitor.locationsService.setLocationSharing(userID: nil, mode: .approximate1km)
    try await share()
    for turn in DemoScript.before { try await perform(turn.act, by: turn.who, at: .zero) }
    for key in missionIDs.values { await noteLines(of: key) }
    await visitor.stop()
    players[visitor.username] = nil
    return DemoVisitor(
      email: DemoPlayer.email(visitor.username), password: DemoPlayer.password)
  }

  private func signUpEverybody() async throws -> DemoPlayer {
    let visitor = try await DemoPlayer(
      username: Cast.visitor.username, displayName: Cast.visitor.displayName,
      bio: Cast.visitor.bio, on: address)
    players[visitor.username] = visitor
    try await withThrowingTaskGroup(of: DemoPlayer.self) { [address, script] group in
      for member in script.cast {
        group.addTask {
          try await DemoPlayer(
            username: member.username, displayName: member.displayName, bio: member.bio,
            on: address)
        }
      }
      for try await player in group { players[player.username] = player }
    }
    for member in script.cast { members[member.username] = member }
    return visitor
  }

  private func bind(_ member: CastMember, to visitor: DemoPlayer) async throws {
    guard let player = players[member.username] else { return }
    switch member.bond {
    case .friend:
      try await player.friendsService.requestFriend(userID: visitor.userID)
      try await visitor.friendsService.respondToFriendRequest(
        userID: player.userID, accept: true)
    case .asked:
      try await visitor.friendsService.requestFriend(userID: player.userID)
      // The script says when.
      answering.insert(member.username)
    case .stranger: return
    }
  }

  private func befriend(_ one: String, _ other: String) async throws {
    guard let one = players[one], let other = players[other] else { return }
    try await one.friendsService.requestFriend(userID: other.userID)
    try await other.friendsService.respondToFriendRequest(userID: one.userID, accept: true)
  }

  /// Everybody shares as they like, and is where they are when the demo begins.
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

  /// Brings everybody online who is to be seen there.
  public func raiseCurtain() {
    for member in script.cast { bringOnline(member.username) }
  }

  /// Plays as time goes by, until the task is cancelled.
  public func run() async {
    raiseCurtain()
    while !Task.isCancelled {
      await play(until: clock.elapsed())
      await sleep(for: next - clock.elapsed())
    }
    close()
  }

  /// When something is to be done next, since the demo began.
  public var next: Duration {
    if agenda.isEmpty { planNextMinute() }
    return agenda.first?.at ?? .seconds(60 * plannedMinutes)
  }

  /// Does everything that is due up to this moment, in order.
  ///
  /// An act that is refused is left out: the visitor may have done something that makes it
  /// impossible.
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

  /// Everybody goes; nothing is played any more.
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
    let sleeper = Task { _ = try? await Pause.for(duration, tolerance: .milliseconds(50)) }
    self.sleeper = sleeper
    await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
  }

  // MARK: - Acts

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
    _ who: String, _ player: DemoPlayer, mission id: UUID, objective: Int,
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

  // MARK: - Hearing

  private func bringOnline(_ who: String) {
    guard listeners[who] == nil, let player = players[who] else { return }
    listeners[who] = Task { [weak self] in
      await DemoListener(player: player).listen { [weak self] news in
        await self?.heard(news, by: player)
      }
    }
  }

  private func goOffline(_ who: String) async {
    listeners.removeValue(forKey: who)?.cancel()
    await players[who]?.friendsRealtimeService.leave()
    await players[who]?.missionActivityRealtimeService.leave()
  }

  private func heard(_ news: DemoNews, by player: DemoPlayer) async {
    do {
      switch news {
      case .friendships: try await answerRequest(to: player)
      case .missions: try await answerInvitation(to: player)
      case .activity(let missionID): try await answerLine(in: missionID, by: player)
      }
    } catch {
      log.info("heard — not answered: \(type(of: error))")
    }
  }

  private func answerRequest(to player: DemoPlayer) async throws {
    guard !answering.contains(player.username) else { return }
    let requests = try await player.friendsService.fetchFriendRequests(direction: .incoming)
    guard requests.contains(where: { $0.profile.id == visitorID }),
      answering.insert(player.username).inserted
    else { return }
    schedule(.acceptVisitor, by: player.username, in: Self.requestDelay)
  }

  /// Whoever the visitor asks into a mission comes along.
  private func answerInvitation(to player: DemoPlayer) async throws {
    let missions = try await player.missionsService.fetchMissions(scope: .active)
    for mission in missions where mission.myState == .invited && mission.isCreator(visitorID) {
      guard following.insert(mission.id).inserted else { continue }
      schedule(.follow(missionID: mission.id), by: player.username, in: Self.requestDelay)
    }
  }

  /// One of those who hear the visitor answers: the mission's creator, or who followed them.
  private func answerLine(in missionID: UUID, by player: DemoPlayer) async throws {
    let plan = missionIDs.first { $0.value == missionID }.map { MissionPlan.plan(of: $0.key) }
    guard plan.map({ $0.creator == player.username }) ?? following.contains(missionID) else {
      return
    }
    let lines = try await player.missionsService.fetchMissionActivity(
      missionID: missionID, limit: 5)
    for line in lines where line.userID?.wrappedValue == visitorID {
      guard let pool = DemoLines.answers(to: line.kind), heardLines.insert(line.id).inserted else {
        continue
      }
      let text = pool[answerCount % pool.count]
      answerCount += 1
      schedule(.answer(missionID: missionID, text), by: player.username, in: Self.lineDelay)
      return
    }
  }

  /// What was said before the visitor came needs no answer.
  private func noteLines(of missionID: UUID) async {
    for player in players.values {
      let lines = try? await player.missionsService.fetchMissionActivity(missionID: missionID)
      for line in lines ?? [] { heardLines.insert(line.id) }
    }
  }
}

/// How the visitor signs in to their account on the demo's server.
public struct DemoVisitor: Hashable, Sendable, Codable {
  public var email: String
  public var password: String
}

extension Act {
  /// The act without what is in it, for the log.
  fileprivate var label: String {
    String(describing: self).prefix { $0 != "(" }.description
  }
}
