import FoundationEssentials
import RallyClient
import RallyWire

/// The three lists as the server sent them last, with the responses to my intents merged in.
struct MissionLists: Hashable, Sendable {
  /// Open ones that I am in or invited to, the one that ends first on top.
  private(set) var active: [Mission] = []
  /// Open ones around my place, in the server's order.
  private(set) var nearby: [Mission] = []
  /// Those I was in that are over, the newest first.
  private(set) var done: [Mission] = []
  /// Opened missions that are in no list; the one opened last is last.
  private(set) var opened: [Mission] = []

  /// How many missions outside the lists are remembered.
  static let openedLimit = 16

  init() {}

  init(active: [Mission], nearby: [Mission], done: [Mission], at now: WireTime) {
    self.active = active
    self.nearby = nearby
    self.done = done
    refile(at: now)
  }

  subscript(_ id: UUID) -> Mission? {
    active.first { $0.id == id } ?? nearby.first { $0.id == id } ?? done.first { $0.id == id }
      ?? opened.first { $0.id == id }
  }

  /// Whether one of the three lists has it.
  func lists(_ id: UUID) -> Bool {
    (active + nearby + done).contains { $0.id == id }
  }

  /// Takes the fetched lists; opened missions outside of them stay.
  mutating func replace(with fetched: MissionLists, at now: WireTime) {
    let opened = opened
    self = fetched
    self.opened = opened.filter { !fetched.lists($0.id) }
    refile(at: now)
  }

  /// Takes a mission that the server just sent, unless a newer version is known.
  mutating func merge(_ mission: Mission, at now: WireTime) {
    if let known = self[mission.id], known.version > mission.version { return }
    let wasNearby = nearby.firstIndex { $0.id == mission.id }
    remove(mission.id)
    if let wasNearby { nearby.insert(mission, at: min(wasNearby, nearby.count)) }
    opened.append(mission)
    active.append(mission)
    done.append(mission)
    refile(at: now)
    if opened.count > Self.openedLimit { opened.removeFirst(opened.count - Self.openedLimit) }
  }

  /// The circle of the missions near me.
  struct Circle: Hashable, Sendable {
    var centre: Coordinate
    var radiusMetres: Double
  }

  /// Takes a mission that an event brought.
  ///
  /// - Parameters:
  ///   - circle: Where missions are near; nil while that is not known.
  ///   - isOpened: Whether it is looked at, so that it is kept also where no list has it.
  mutating func merge(
    _ mission: Mission, circle: Circle?, isOpened: Bool, at now: WireTime
  ) {
    if let known = self[mission.id], known.version > mission.version { return }
    let wasOpened = opened.contains { $0.id == mission.id }
    remove(mission.id)
    if let circle, circle.centre.distance(to: mission.centre) <= circle.radiusMetres {
      let distance = circle.centre.distance(to: mission.centre)
      let index = nearby.firstIndex { circle.centre.distance(to: $0.centre) > distance }
      nearby.insert(mission, at: index ?? nearby.endIndex)
      if nearby.count > Paging.maximumLimit { nearby.removeLast() }
    }
    active.append(mission)
    done.append(mission)
    if wasOpened || isOpened { opened.append(mission) }
    refile(at: now)
    if opened.count > Self.openedLimit { opened.removeFirst(opened.count - Self.openedLimit) }
  }

  /// Takes the names of people who are in missions.
  mutating func rename(_ people: [UUID: CommunityProfile]) {
    active = active.map { $0.renamed(people) }
    nearby = nearby.map { $0.renamed(people) }
    done = done.map { $0.renamed(people) }
    opened = opened.map { $0.renamed(people) }
  }

  /// Forgets a mission that I may not see any more.
  mutating func remove(_ id: UUID) {
    active.removeAll { $0.id == id }
    nearby.removeAll { $0.id == id }
    done.removeAll { $0.id == id }
    opened.removeAll { $0.id == id }
  }

  /// Moves each mission to the list that it belongs to at this time.
  mutating func refile(at now: WireTime) {
    let over = active.filter { !$0.phase(at: now).isOpen && $0.myState == .joined }
    active.removeAll {
      !$0.phase(at: now).isOpen || ($0.myState != .joined && $0.myState != .invited)
    }
    active.sort { $0.endsFirstKey < $1.endsFirstKey }
    nearby.removeAll { !$0.phase(at: now).isOpen }
    done.removeAll { $0.phase(at: now).isOpen || $0.myState != .joined }
    let doneIDs = Set(done.map(\.id))
    done.append(contentsOf: over.filter { !doneIDs.contains($0.id) })
    done.sort { $0.overAt > $1.overAt }
    let listed = Set((active + nearby + done).map(\.id))
    opened.removeAll { listed.contains($0.id) }
  }

  /// When the next mission starts or ends by itself; nil when none will.
  func nextChange(after now: WireTime) -> WireTime? {
    (active + nearby).flatMap { [$0.startsAt, $0.endsAt] }.compactMap(\.self)
      .filter { $0 > now }.min()
  }
}

extension MissionMemberRecord {
  /// With the name that somebody has by these, if they are among them.
  fileprivate func renamed(_ people: [UUID: CommunityProfile]) -> MissionMemberRecord {
    guard let person = people[userID] else { return self }
    var member = self
    (member.username, member.displayName) = (person.username, person.displayName)
    return member
  }
}

extension ComingRecord {
  /// With the names of people by these, their own and those of who sees them.
  func renamed(_ people: [UUID: CommunityProfile]) -> ComingRecord {
    if people.isEmpty { return self }
    var row = self
    if let person = people[userID] {
      (row.username, row.displayName) = (person.username, person.displayName)
    }
    row.readers = readers.map { $0.renamed(people) }
    return row
  }
}

extension Mission {
  /// With the names of members by these.
  func renamed(_ people: [UUID: CommunityProfile]) -> Mission {
    if people.isEmpty { return self }
    let members = record.members.map { $0.renamed(people) }
    guard members != record.members else { return self }
    var record = record
    record.members = members
    return Mission(record) ?? self
  }

  /// When it ended, according to its record.
  var overAt: WireTime { record.closedAt ?? record.endsAt ?? record.createdAt }

  /// Sorts by the end; missions without an end come last, sorted by their start.
  fileprivate var endsFirstKey: (Int64, Int64, UUID) {
    (record.endsAt?.microseconds ?? .max, record.startsAt.microseconds, id)
  }
}

/// The cached missions for the first frame.
struct MissionsSnapshot: StoreSnapshot {
  static let name = "missions"

  var active: [MissionRecord]
  var nearby: [MissionRecord]
  var done: [MissionRecord]
  var asOf: WireTime

  init(_ lists: MissionLists, asOf: WireTime) {
    active = lists.active.map(\.record)
    nearby = lists.nearby.map(\.record)
    done = lists.done.map(\.record)
    self.asOf = asOf
  }

  func lists(at now: WireTime) -> MissionLists {
    MissionLists(
      active: active.compactMap(Mission.init), nearby: nearby.compactMap(Mission.init),
      done: done.compactMap(Mission.init), at: now)
  }
}

/// Of which missions events came, in which order, and which of them is the newest.
struct MissionEvents {
  /// How many came.
  private(set) var count = 0
  private var last: [UUID: Int] = [:]
  /// When the newest change of each mission was made. Members, check-ins and who is on the way change a
  /// mission without a version of it.
  private var times: [UUID: WireTime] = [:]

  mutating func take(_ missionID: UUID) {
    count += 1
    if last.count >= Pages.mostRows { last = [:] }
    last[missionID] = count
  }

  /// - Parameter time: When the change was made; nil where the event does not say it.
  /// - Returns: Whether it is not older than what came of this mission.
  mutating func isNews(of missionID: UUID, at time: WireTime?) -> Bool {
    guard let time else { return true }
    if let known = times[missionID], known > time { return false }
    if times.count >= Pages.mostRows { times = [:] }
    times[missionID] = time
    return true
  }

  /// What comes from now on may be of another server, with another clock.
  mutating func forgetTimes() { times = [:] }

  /// Whether one of this mission came after so many of all.
  func has(_ missionID: UUID, since mark: Int) -> Bool {
    last[missionID].map { $0 > mark } ?? false
  }
}
