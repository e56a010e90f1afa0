import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// Makes events of changes of missions, members and activity for the readers who may see the row.
///
/// Used for one snapshot: each reader gets a row once.
struct MissionChangeEvents {
  private struct Delivery: Hashable {
    let mission: String
    let reader: String
  }

  /// Users with listening channels.
  let listeners: Set<String>
  /// Those of them whose events bring what they would fetch.
  let embedders: Set<String>
  let time: WireTime
  private var contents: [String: MissionContent] = [:]
  private var audiences: [String: MissionAudience] = [:]
  private var delivered: Set<Delivery> = []
  /// Readers who gain access to a mission later in this snapshot; earlier changes are not theirs.
  private var arriving: Set<Delivery> = []
  /// Readers who gained and lost access within this snapshot.
  private var undelivered: Set<Delivery> = []

  init(listeners: Set<String>, embedders: Set<String>, time: WireTime, changes: [Change]) {
    self.listeners = listeners
    self.embedders = embedders
    self.time = time
    for change in changes where change.table == .missions && change.operation == .insert {
      let mission = MissionKey(change.key).mission
      for reader in change.audience { arriving.insert(Delivery(mission: mission, reader: reader)) }
    }
  }

  /// nil when the change is sent to nobody.
  mutating func item(for change: Change, from database: Database) throws -> FeedSnapshot.Item? {
    guard !listeners.isEmpty else { return nil }
    switch change.table {
    case .missions: return try mission(change, from: database)
    case .missionMembers: return try member(change, from: database)
    case .missionActivity: return try line(change, from: database)
    case .friendships, .locations, .locationSharing, .locationAsks, .profiles, .sessions,
      .watchLinks:
      return nil
    }
  }

  // MARK: - Missions

  private mutating func mission(
    _ change: Change, from database: Database
  ) throws -> FeedSnapshot.Item? {
    if change.operation == .delete { return deletion(change) }
    let key = MissionKey(change.key)
    guard let audience = try audience(of: key.mission, from: database) else { return nil }
    // Readers who block that person find the change at their next fetch.
    let strangers = try key.person.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
    let readers =
      if !change.audience.isEmpty {
        listeners.intersection(change.audience)
      } else if change.operation == .insert {
        // Readers who lost access meanwhile must not receive the delete either.
        listeners
      } else {
        audience.people(among: listeners)
      }
    var item = ReaderEvents<MissionView>()
    for reader in readers.subtracting(strangers) {
      let pair = Delivery(mission: key.mission, reader: reader)
      if change.operation == .insert { arriving.remove(pair) }
      guard audience.canSee(reader) else {
        if change.operation == .insert { undelivered.insert(pair) }
        continue
      }
      guard !arriving.contains(pair), delivered.insert(pair).inserted else { continue }
      let view = MissionView(
        acquaintance: audience.acquaintance(of: reader),
        embedded: embedders.contains(reader)
          ? try embedded(audience, for: reader, from: database) : nil)
      try item.add(reader, variant: view) { view in
        var event = PublishedTables.missions.event(
          change.operation == .insert ? .insert : .update,
          of: (audience.mission, view.acquaintance), at: change.at)
        event.embedded = try view.embedded.map { try JSONValue(encoding: $0) }
        return event
      }
    }
    return item.feedItem
  }

  /// The mission as its reader would fetch it now.
  private mutating func embedded(
    _ audience: MissionAudience, for reader: String, from database: Database
  ) throws -> EmbeddedMission {
    let mission = audience.mission
    let content = try contents[mission.key] ?? MissionContent(of: mission, in: database)
    contents[mission.key] = content
    let membership = audience.members[reader]?.state
    let coming =
      content.hasWays && membership == .joined
      ? try OnMyWayFunctions.coming(for: reader, in: mission.key, at: time, from: database) : []
    return EmbeddedMission(
      mission: MissionAccess.record(
        of: mission, content: content, as: membership,
        reader: try MissionReader(reader, at: time, in: database)),
      coming: coming)
  }

  private mutating func deletion(_ change: Change) -> FeedSnapshot.Item? {
    var item = ReaderEvents<Bool>()
    for reader in listeners.intersection(change.audience) {
      let pair = Delivery(mission: change.key, reader: reader)
      delivered.remove(pair)
      guard undelivered.remove(pair) == nil else { continue }
      item.add(reader, variant: true) { _ in
        PublishedTables.missions.deletion(of: ["id": .string(change.key)], at: change.at)
      }
    }
    return item.feedItem
  }

  // MARK: - Members

  private mutating func member(
    _ change: Change, from database: Database
  ) throws -> FeedSnapshot.Item? {
    guard let key = MemberKey(change.key),
      let audience = try audience(of: key.mission, from: database)
    else { return nil }
    let now = audience.members[key.user]
    let hidden = try BlockRecords.hidden(from: key.user, in: database)
    var item = ReaderEvents<ChangeEvent.Kind>()
    for reader in audience.people(among: listeners) {
      let membership = audience.members[reader]?.state
      func canSee(_ state: MissionMembership?) -> Bool {
        MissionAccess.canSee(
          member: state, isSelf: reader == key.user, isHidden: hidden.contains(reader),
          as: membership)
      }
      let kind: ChangeEvent.Kind?
      if change.audience.isEmpty {
        kind = MissionChangeEvents.kind(saw: canSee(key.before), sees: canSee(key.after))
      } else {
        kind =
          !change.audience.contains(reader) ? nil : change.operation == .delete ? .delete : .insert
      }
      guard let kind, audience.canSee(reader), kind == .delete || canSee(now?.state) else {
        continue
      }
      item.add(reader, variant: kind) { kind in
        guard kind != .delete, let now else {
          return PublishedTables.missionMembers.deletion(
            of: ["mission_id": .string(key.mission), "user_id": .string(key.user)], at: change.at)
        }
        return PublishedTables.missionMembers.event(kind, of: (key.mission, now), at: change.at)
      }
    }
    return item.feedItem
  }

  private static func kind(saw: Bool, sees: Bool) -> ChangeEvent.Kind? {
    switch (saw, sees) {
    case (false, true): .insert
    case (true, true): .update
    case (true, false): .delete
    case (false, false): nil
    }
  }

  // MARK: - Activity

  private mutating func line(
    _ change: Change, from database: Database
  ) throws -> FeedSnapshot.Item? {
    guard let line = try ActivityRecords.find(change.key, in: database),
      let audience = try audience(of: line.missionID.wireText, from: database)
    else { return nil }
    let author = line.userID?.wireText
    let hidden = try author.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
    var item = ReaderEvents<Bool>()
    for (reader, member) in audience.members
    where listeners.contains(reader)
      && MissionAccess.canSee(lineOfHidden: hidden.contains(reader), as: member.state)
    {
      item.add(reader, variant: true) { _ in
        PublishedTables.missionActivity.event(.insert, of: line, at: change.at)
      }
    }
    return item.feedItem
  }

  private mutating func audience(
    of mission: String, from database: Database
  ) throws -> MissionAudience? {
    if let known = audiences[mission] { return known }
    guard let stored = try MissionRecords.find(mission, in: database) else { return nil }
    let audience = try MissionAudience(of: stored, at: time, in: database)
    audiences[mission] = audience
    return audience
  }
}

/// What a reader's event of a mission consists of.
private struct MissionView: Hashable {
  let acquaintance: MissionAcquaintance
  /// nil for who does not want it.
  let embedded: EmbeddedMission?
}

private struct ReaderEvents<Variant: Hashable> {
  private var events: [ChangeEvent] = []
  private var numbers: [Variant: Int] = [:]
  private var readers: [String: Int] = [:]

  /// - Parameter make: Makes the event of a variant, once.
  mutating func add(
    _ reader: String, variant: Variant, make: (Variant) throws -> ChangeEvent
  ) rethrows {
    if numbers[variant] == nil {
      numbers[variant] = events.count
      events.append(try make(variant))
    }
    readers[reader] = numbers[variant]
  }

  var feedItem: FeedSnapshot.Item? { readers.isEmpty ? nil : .rows(events, readers: readers) }
}
