import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// Events bring their rows: what one person does shows at the others without a request of theirs.
@MainActor
@Suite struct EventRowsTests {
  private static func with(
    _ names: [String], _ body: @MainActor ([RunningPerson]) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      var people: [RunningPerson] = []
      for name in names { people.append(try await RunningPerson(signingUp: name, on: server)) }
      for person in people {
        // A map that is seen asks for positions at its pace.
        person.running.tabChanged(to: .friends)
        try await person.services.currentLocationProvider.setManual(Samples.lisbon)
        #expect(await eventually { person.gate.askedForNearbyMissions })
        #expect(await person.isQuiet())
      }
      try await body(people)
      for person in people { await person.end() }
    }
  }

  // MARK: - Requests

  @Test func `what a friend does costs nobody else a request, and its doer one`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      @MainActor func act(
        _ doer: RunningPerson, _ call: String, _ other: RunningPerson,
        shown: @MainActor () -> Bool, by act: @MainActor () async throws -> Void
      ) async throws {
        for person in people { person.forget() }
        try await act()
        #expect(await eventually { shown() }, "\(call)")
        for person in people { #expect(await person.isQuiet(), "\(call)") }
        #expect(doer.requests == ["/rest/v1/rpc/\(call)"])
        #expect(other.requests == [], "\(call)")
      }

      try await act(
        ana, "request_friend", ben, shown: { ben.stores.social.incomingRequests.count == 1 }
      ) { _ = await ana.stores.social.requestFriend(ben.profile) }
      try await act(
        ana, "cancel_friend_request", ben,
        shown: { ben.stores.social.incomingRequests.isEmpty }
      ) { _ = await ana.stores.social.respondToFriendRequest(ben.userID, action: .cancel) }
      try await act(
        ana, "request_friend", ben, shown: { ben.stores.social.incomingRequests.count == 1 }
      ) { _ = await ana.stores.social.requestFriend(ben.profile) }
      try await act(
        ben, "respond_to_friend_request", ana, shown: { ana.stores.social.friends.count == 1 }
      ) { _ = await ben.stores.social.respondToFriendRequest(ana.userID, action: .accept) }
      #expect(ana.stores.social.friends.first?.since != nil)
      #expect(
        await eventually {
          ana.stores.locationSharing.sharing?.friends.map(\.id) == [ben.userID]
        })

      try await act(
        ana, "create_mission", ben, shown: { ben.stores.missions.nearby.count == 1 }
      ) {
        _ = try await ana.stores.missions.create(
          CreateMission(
            title: "Fog", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends,
            objectives: [ObjectiveInput(title: "Door"), ObjectiveInput(title: "Cat")])
        ).get()
      }
      let mission = try #require(ana.stores.missions.active.first)
      try await act(
        ben, "join_mission", ana, shown: { ana.stores.missions.active.first?.joined.count == 2 }
      ) { _ = await ben.stores.missions.join(mission.id) }
      try await act(
        ben, "say_in_mission", ana, shown: { ana.stores.missions.receivedLines.count == 1 }
      ) { _ = await ben.stores.missions.say("on the stairs", in: mission.id) }
      try await act(
        ana, "check_in", ben,
        shown: { ben.stores.missions.active.first?.record.progress.done == 1 }
      ) {
        _ = try await ana.services.missionsService.checkIn(
          mission.objectives[0].id, of: mission.id, at: Samples.lisbon, accuracyMetres: 5)
      }
      try await act(
        ana, "complete_mission", ben, shown: { ben.stores.missions.done.count == 1 }
      ) { _ = await ana.stores.missions.complete(mission.id) }
      try await act(
        ben, "ask_location", ana,
        shown: { ana.stores.social.locationAsks.askers == [ben.userID] }
      ) { _ = await ben.stores.social.askLocation(of: ana.profile) }
      try await act(ana, "remove_friend", ben, shown: { ben.stores.social.friends.isEmpty }) {
        _ = await ana.stores.social.unfriend(ben.profile)
      }
      try await act(ben, "block_user", ana, shown: { ben.stores.social.blocksRevision == 1 }) {
        _ = await ben.stores.social.block(ana.profile)
      }
    }
  }

  @Test func `a start asks for everything together, links to watch too`() async throws {
    try await TestServer.with { server in
      let ana = try await RunningPerson(signingUp: "ana", on: server)
      for _ in 0..<2 {
        #expect(await eventually { ana.stores.social.synchronizer.isLive })
        #expect(await eventually { ana.stores.missions.synchronizer.isLive })
        #expect(await ana.isQuiet())
        // Two on a machine that has nothing else to do.
        #expect(ana.requests.count <= 9, "\(ana.requests)")
        let links = ana.requests.filter { $0.contains("fetch_watch_links") }
        #expect(links.count == 1 && links[0].contains("catch_up"), "\(links)")
        try await ana.restart()
      }
      await ana.end()
    }
  }

  @Test func `a friend's new name shows in all lists, and costs nobody a request`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      _ = await ana.stores.social.requestFriend(ben.profile)
      #expect(await eventually { ben.stores.social.incomingRequests.count == 1 })
      _ = try await ana.services.profileService.updateProfile(displayName: "Fog Runner")
      #expect(
        await eventually {
          ben.stores.social.incomingRequests.first?.profile.displayName == "Fog Runner"
        })
      _ = await ben.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      let mission = try await ana.stores.missions.create(
        CreateMission(
          title: "Fog", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends)
      ).get()
      _ = await ben.stores.missions.join(mission.id)
      #expect(await eventually { ben.stores.missions.active.first?.joined.count == 2 })
      #expect(await eventually { ben.stores.locationSharing.sharing?.friends.count == 1 })
      #expect(await ben.isQuiet())
      ben.forget()
      _ = try await ana.services.profileService.updateProfile(displayName: "Zoë", username: "zoe")
      #expect(
        await eventually {
          let (social, missions) = (ben.stores.social, ben.stores.missions)
          return social.friends.map(\.displayName) == ["Zoë"]
            && missions.active.first?.members.contains { $0.username == "zoe" } == true
            && ben.stores.locationSharing.sharing?.friends.map(\.displayName) == ["Zoë"]
        })
      #expect(ben.stores.social.friends.first?.since != nil)
      #expect(await ben.isQuiet())
      #expect(ben.requests == [])
    }
  }

  @Test func `lines of others come into the feed that is open`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      let mission = try await ana.stores.missions.create(
        CreateMission(title: "Fog", centre: Samples.lisbon, radiusMetres: 50)
      ).get()
      _ = await ana.stores.social.requestFriend(ben.profile)
      _ = await ben.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      _ = await ana.stores.missions.invite([ben.userID], to: mission.id)
      _ = await ben.stores.missions.join(mission.id)
      await ana.stores.missions.openFeed(mission.id)
      ana.forget()
      _ = await ben.stores.missions.say("on the stairs", in: mission.id)
      #expect(
        await eventually { ana.stores.missions.feeds[mission.id]?.lines.first?.kind == .said })
      #expect(ana.requests == [])
    }
  }

  // MARK: - Order

  @Test func `a list that was read before an event does not undo it`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      // given: Ana's lists were read by the server, and the answer is under way
      ana.gate.holdAnswers("fetch_friends")
      let refresh = Task { await ana.stores.social.refreshAll(mode: .refresh) }
      #expect(await ana.gate.isHeld("fetch_friends"))
      // when
      _ = await ben.stores.social.requestFriend(ana.profile)
      #expect(await eventually { ana.stores.social.incomingRequests.count == 1 })
      ana.gate.release("fetch_friends")
      await refresh.value
      // then
      #expect(ana.stores.social.incomingRequests.map(\.id) == [ben.userID])
    }
  }

  @Test func `an end that was heard before the list does not come back with it`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      _ = await ben.stores.social.requestFriend(ana.profile)
      #expect(await eventually { ana.stores.social.incomingRequests.count == 1 })
      ana.gate.holdAnswers("fetch_friends")
      let refresh = Task { await ana.stores.social.refreshAll(mode: .refresh) }
      #expect(await ana.gate.isHeld("fetch_friends"))
      _ = await ben.stores.social.respondToFriendRequest(ana.userID, action: .cancel)
      #expect(await eventually { ana.stores.social.incomingRequests.isEmpty })
      ana.gate.release("fetch_friends")
      await refresh.value
      #expect(ana.stores.social.incomingRequests.isEmpty)
    }
  }

  @Test func `an answer that an event has overtaken does not undo it`() async throws {
    try await Self.with(["ana", "ben", "cleo"]) { people in
      let (ana, ben, cleo) = (people[0], people[1], people[2])
      for friend in [ben, cleo] {
        _ = await ana.stores.social.requestFriend(friend.profile)
        _ = await friend.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      }
      let mission = try await ana.stores.missions.create(
        CreateMission(title: "Fog", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends)
      ).get()
      #expect(await eventually { ben.stores.missions.nearby.count == 1 })
      // given: Ben's answer, which has two members, is under way
      ben.gate.holdAnswers("join_mission")
      let join = Task { await ben.stores.missions.join(mission.id) }
      #expect(await ben.gate.isHeld("join_mission"))
      #expect(await eventually { ana.stores.missions.active.first?.joined.count == 2 })
      // when
      _ = await cleo.stores.missions.join(mission.id)
      #expect(await eventually { ben.stores.missions.active.first?.joined.count == 3 })
      ben.gate.release("join_mission")
      _ = await join.value
      // then
      #expect(ben.stores.missions.active.first?.joined.count == 3)
    }
  }

  @Test func `an event of a mission that comes after later ones does not undo them`() async throws {
    try await Self.with(["ana", "ben", "cleo"]) { people in
      let (ana, ben, cleo) = (people[0], people[1], people[2])
      for friend in [ben, cleo] {
        _ = await ana.stores.social.requestFriend(friend.profile)
        _ = await friend.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      }
      let mission = try await ana.stores.missions.create(
        CreateMission(title: "Fog", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends)
      ).get()
      #expect(await eventually { cleo.stores.missions.nearby.count == 1 })
      _ = await ben.stores.missions.join(mission.id)
      #expect(await eventually { ana.stores.missions.active.first?.joined.count == 2 })
      // when: with the event of Cleo's joining that of Ben's comes once more
      ana.gate.repeatLate()
      _ = await cleo.stores.missions.join(mission.id)
      #expect(await eventually { ana.stores.missions.active.first?.joined.count == 3 })
      // then
      _ = await cleo.stores.missions.say("on the stairs", in: mission.id)
      #expect(await eventually { ana.stores.missions.receivedLines.count == 1 })
      #expect(await ana.isQuiet())
      #expect(ana.stores.missions.active.first?.joined.count == 3)
    }
  }

  @Test func `an event of a mission that comes late brings no former name of a friend`()
    async throws
  {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      _ = await ana.stores.social.requestFriend(ben.profile)
      _ = await ben.stores.social.respondToFriendRequest(ana.userID, action: .accept)
      let mission = try await ana.stores.missions.create(
        CreateMission(title: "Fog", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends)
      ).get()
      _ = await ben.stores.missions.join(mission.id)
      #expect(await eventually { ana.stores.missions.active.first?.joined.count == 2 })
      // given: an event with Ben's former name is under way
      ana.gate.delayEvents(of: MissionRecord.table)
      var call = UpdateMission(missionID: mission.id)
      call.brief = "Bring a lamp."
      _ = try await ana.services.missionsService.updateMission(call)
      #expect(await eventually { ana.gate.delayedEvents == 1 })
      _ = try await ben.services.profileService.updateProfile(displayName: "Zoë")
      #expect(await eventually { ana.stores.social.friends.map(\.displayName) == ["Zoë"] })
      // when
      ana.gate.releaseFrames()
      #expect(await eventually { ana.stores.missions.active.first?.brief == "Bring a lamp." })
      // then
      let names = ana.stores.missions.active.first?.members.map(\.displayName) ?? []
      #expect(names.sorted() == ["Ana", "Zoë"])
    }
  }

  @Test func `what was missed in a gap is fetched after it`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      ana.gate.goOffline()
      #expect(await eventually { !ana.stores.social.synchronizer.isLive })
      _ = await ben.stores.social.requestFriend(ana.profile)
      ana.gate.goOffline(false)
      await ana.services.linkService.retryNow()
      #expect(await eventually { ana.stores.social.incomingRequests.count == 1 })
    }
  }

  @Test func `coming back costs one question, and brings what was missed`() async throws {
    try await Self.with(["ana", "ben"]) { people in
      let (ana, ben) = (people[0], people[1])
      ana.gate.goOffline()
      #expect(await eventually { !ana.stores.social.synchronizer.isLive })
      _ = await ben.stores.social.requestFriend(ana.profile)
      #expect(await ana.isQuiet())
      ana.forget()
      ana.gate.goOffline(false)
      await ana.services.linkService.retryNow()
      #expect(await eventually { ana.stores.social.incomingRequests.count == 1 })
      #expect(await eventually { ana.services.linkService.state == .live })
      #expect(await ana.isQuiet())
      #expect(ana.requests.count == 1, "\(ana.requests)")
    }
  }

  @Test func `of one friendship the newest version counts, and none after its end`() throws {
    func news(_ friendship: Int, version: Int64?, profile: Int64 = 1) -> FriendshipNews {
      FriendshipNews(
        relation: EmbeddedRelation(
          userID: Samples.id(2), status: version == nil ? .none : .incoming,
          profile: ProfileRecord(
            id: Samples.id(2), username: "ben", displayName: "Ben", bio: "", version: profile,
            createdAt: Samples.time)),
        friendshipID: Samples.id(100 + friendship),
        row: version.map {
          FriendshipRecord(
            id: Samples.id(100 + friendship), requesterID: Samples.id(2),
            addresseeID: Samples.id(1), status: .pending, createdAt: Samples.time,
            acceptedAt: nil, version: $0)
        })
    }
    var versions = FriendshipVersions()
    let heard: [(FriendshipNews, Bool)] = [
      (news(1, version: 2), true), (news(1, version: 1), false), (news(1, version: 2), true),
      (news(1, version: nil), true), (news(1, version: 3), false), (news(2, version: 1), true),
      // The end of the former one, once more and late.
      (news(1, version: nil), false), (news(2, version: 2), true),
      // Another name, and the former one late.
      (news(2, version: 2, profile: 2), true), (news(2, version: 2), false),
    ]
    for (news, isTaken) in heard { #expect(versions.take(news) == isTaken) }
  }

  // MARK: - Whatever happens

  /// Random acts of several people, with answers and events that are late, repeated or lost: at every
  /// quiet moment each client shows what a new one would.
  @Test(arguments: [TestEngine.sqlite, .nodes])
  func `each client ends with what a fresh one would fetch`(_ engine: TestEngine) async throws {
    // Servers on one database find their keys there.
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let keys = engine == .nodes ? folder.path : nil
    try await TestEngine.$current.withValue(engine) {
      try await TestEngine.$folder.withValue(keys) {
        try await Self.with(["ana", "ben", "cleo"]) { people in
          var world = RandomActs(people, seed: engine == .sqlite ? 56 : 57)
          for person in people {
            try await person.services.currentLocationProvider.setManual(Samples.lisbon)
          }
          for round in 1...16 {
            await world.disturb()
            await world.act(times: 12)
            world.calm()
            for person in people {
              var difference: String?
              let isSame = await eventually {
                difference = await person.difference()
                return difference == nil
              }
              #expect(
                isSame,
                """
                round \(round) on \(engine), \(person.name): \(difference ?? "")
                \(world.log.joined(separator: "\n"))
                """)
              if !isSame { return }
            }
            world.log = []
          }
        }
      }
    }
  }
}

/// What people do at random, and what happens to their connections meanwhile.
@MainActor
private struct RandomActs {
  let people: [RunningPerson]
  /// Since the last quiet moment.
  var log: [String] = []
  private var numbers: SeededGenerator
  private var titles = 0

  init(_ people: [RunningPerson], seed: UInt64) {
    self.people = people
    numbers = SeededGenerator(seed: seed)
  }

  mutating func disturb() async {
    for person in people {
      switch Int.random(in: 0..<9, using: &numbers) {
      case 0:
        person.gate.holdAnswers("fetch_friends")
        log.append("\(person.name): answers are late")
      case 1:
        person.gate.holdAnswers("fetch_missions")
        log.append("\(person.name): answers are late")
      case 2, 3:
        person.gate.holdFrames()
        log.append("\(person.name): events are late")
      case 4:
        person.gate.repeatEvents(2)
        log.append("\(person.name): events come twice")
      case 6:
        person.gate.repeatLate()
        log.append("\(person.name): events come again after later ones")
      case 5:
        person.gate.loseSockets()
        log.append("\(person.name): a gap")
      default: break
      }
      // A refresh that reads before what follows.
      if Bool.random(using: &numbers) {
        Task { await person.stores.social.refreshAll(mode: .refresh) }
        Task { await person.stores.missions.refreshAll(mode: .refresh) }
      }
    }
  }

  func calm() {
    for person in people {
      person.gate.releaseFrames()
      person.gate.repeatEvents(1)
      person.gate.repeatLate(false)
      person.gate.loseSockets(false)
      person.gate.release("fetch_friends")
      person.gate.release("fetch_missions")
      Task { await person.services.linkService.retryNow() }
    }
  }

  mutating func act(times: Int) async {
    var tasks: [Task<Void, Never>] = []
    for _ in 0..<times {
      let me = people.randomElement(using: &numbers) ?? people[0]
      let other = people.filter { $0 !== me }.randomElement(using: &numbers) ?? people[0]
      let missions = me.stores.missions.active + me.stores.missions.nearby
      let mission = missions.randomElement(using: &numbers)
      let number = Int.random(in: 0..<24, using: &numbers)
      titles += 1
      log.append("\(me.name) \(number) \(other.name) \(mission?.title ?? "-")")
      let title = "\(me.name) \(titles)"
      tasks.append(
        Task { await Self.act(number, by: me, about: other, in: mission, title: title) })
      // Some acts are under way at the same time, others one after the other.
      if Bool.random(using: &numbers) { await tasks.last?.value }
    }
    for task in tasks { await task.value }
  }

  private static func act(
    _ number: Int, by me: RunningPerson, about other: RunningPerson, in mission: Mission?,
    title: String
  ) async {
    let (social, missions) = (me.stores.social, me.stores.missions)
    switch number {
    case 0...3: await social.requestFriend(other.profile)
    case 4...7: await social.respondToFriendRequest(other.userID, action: .accept)
    case 8: await social.respondToFriendRequest(other.userID, action: .decline)
    case 9: await social.respondToFriendRequest(other.userID, action: .cancel)
    case 10: await social.unfriend(other.profile)
    case 11:
      await social.block(other.profile)
      await social.unblock(other.profile)
    case 12: await social.askLocation(of: other.profile)
    case 13: await social.closeLocationAsk(of: other.userID)
    case 14, 15:
      let call = CreateMission(
        title: title, centre: Samples.lisbon, radiusMetres: 50,
        visibility: number == 14 ? .friends : .invited,
        objectives: [ObjectiveInput(title: "Door", count: 2), ObjectiveInput(title: "Cat")])
      _ = await missions.create(call)
    case 22, 23:
      _ = try? await me.services.profileService.updateProfile(displayName: title)
    default:
      guard let mission else { return }
      switch number {
      case 16: await missions.join(mission.id)
      case 17: await missions.leave(mission.id)
      case 18: await missions.invite([other.userID], to: mission.id)
      case 19: await missions.checkIn(mission.objectives[0].id, of: mission.id)
      case 20:
        await me.stores.locationSharing.setOnMyWay(
          to: mission.id, readers: mission.joined.map(\.userID))
      default:
        if mission.isCreator(me.userID) { await missions.complete(mission.id) }
      }
    }
  }
}

/// What a client shows, or would fetch now.
private struct Lists: Hashable {
  var friends: Set<CommunityProfile>
  var requests: [FriendRequestItem]
  var asks: LocationAsks
  var missions: [[MissionRecord]]
  var coming: Set<ComingRecord>
  var sharing: SharingTable?

  init(
    friends: [CommunityProfile], requests: [FriendRequestItem], asks: LocationAsks,
    missions: [[Mission]], coming: [ComingRecord], sharing: SharingTable?
  ) {
    // Presence has a channel of its own.
    self.friends = Set(
      friends.map {
        var friend = $0
        (friend.presence, friend.lastSeen) = (nil, nil)
        return friend
      })
    self.requests = requests
    self.asks = asks
    self.missions = missions.map { $0.map(\.record) }
    self.missions[2].sort { $0.id < $1.id }
    // Positions have a channel of their own.
    self.coming = Set(
      coming.map {
        var row = $0
        row.location = nil
        return row
      })
    self.sharing = sharing
    forgetNames()
    for index in self.sharing?.friends.indices ?? 0..<0 {
      self.sharing?.friends[index].location = nil
    }
    for index in self.sharing?.followers.indices ?? 0..<0 {
      self.sharing?.followers[index].location = nil
    }
  }

  /// Another name of a friend comes with the list of friends; of others it may come with the next fetch.
  private mutating func forgetNames() {
    let known = Set(friends.map(\.id))
    func forget(_ members: inout [MissionMemberRecord]) {
      for index in members.indices where !known.contains(members[index].userID) {
        members[index].displayName = "-"
      }
    }
    for list in missions.indices {
      for index in missions[list].indices { forget(&missions[list][index].members) }
    }
    coming = Set(
      coming.map {
        var row = $0
        if !known.contains(row.userID) { row.displayName = "-" }
        forget(&row.readers)
        return row
      })
    for index in sharing?.followers.indices ?? 0..<0 { sharing?.followers[index].displayName = "-" }
    // In the order of names.
    sharing?.friends.sort { $0.id < $1.id }
  }
}

extension RunningPerson {
  /// Whether nothing is under way, nor about to be sent; waits for it.
  fileprivate func isQuiet() async -> Bool {
    await eventually {
      !self.stores.social.synchronizer.isBusy && !self.stores.missions.synchronizer.isBusy
        && !self.stores.locationSharing.synchronizer.isBusy
        && !self.stores.map.synchronizer.isBusy
    }
  }

  private var shown: Lists {
    Lists(
      friends: stores.social.friends,
      requests: stores.social.incomingRequests + stores.social.outgoingRequests,
      asks: stores.social.locationAsks,
      missions: [stores.missions.active, stores.missions.done, stores.missions.nearby],
      coming: stores.missions.coming, sharing: stores.locationSharing.sharing)
  }

  private func fetched() async throws -> Lists {
    let (friends, missions) = (services.friendsService, services.missionsService)
    let limit = Paging.maximumLimit
    let cell = GridCell.following(nil, at: Samples.lisbon, level: .oneKilometre)
    return Lists(
      friends: try await friends.fetchFriends(limit: limit).rows,
      requests: try await friends.fetchFriendRequests(direction: .incoming, limit: limit).rows
        + friends.fetchFriendRequests(direction: .outgoing, limit: limit).rows,
      asks: LocationAsks(try await friends.fetchLocationAsks()),
      missions: [
        try await missions.fetchAllMissions(scope: .active),
        try await missions.fetchAllMissions(scope: .done, limit: limit),
        try await missions.fetchAllMissions(
          scope: .nearby, around: cell.center,
          radiusMetres: FetchMissions.defaultRadius, limit: limit),
      ],
      coming: try await missions.fetchComing(),
      sharing: SharingTable(try await services.locationsService.fetchLocationSharing()))
  }

  /// What is shown otherwise than a fresh client would; nil for nothing.
  fileprivate func difference() async -> String? {
    do {
      let (fetched, shown) = (try await fetched(), shown)
      if fetched == shown { return nil }
      return [
        fetched.friends == shown.friends
          ? nil
          : "friends \(shown.friends.map(\.username)), not \(fetched.friends.map(\.username))",
        fetched.requests == shown.requests
          ? nil : "requests \(shown.requests), not \(fetched.requests)",
        fetched.asks == shown.asks ? nil : "asks \(shown.asks), not \(fetched.asks)",
        fetched.missions == shown.missions
          ? nil : "missions \(shown.missions), not \(fetched.missions)",
        fetched.coming == shown.coming ? nil : "coming \(shown.coming), not \(fetched.coming)",
        fetched.sharing == shown.sharing
          ? nil : "sharing \(String(describing: shown.sharing)), not \(fetched.sharing as Any)",
      ].compactMap(\.self).joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }
}
