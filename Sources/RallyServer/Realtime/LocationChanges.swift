import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// Makes events of changes of `locations`, reduced to each reader's precision.
///
/// Used for one snapshot: each reader gets a row once.
struct LocationChanges {
  private struct Delivery: Hashable {
    let owner: String
    let reader: String
  }

  private struct Position {
    var stored: StoredLocation?
    var visibilities: [String: ReaderVisibility]
    var audience: LocationAudience
  }

  /// Users with listening channels.
  let listeners: Set<String>
  /// The clock that ends timed shares.
  let time: WireTime
  private var positions: [String: Position] = [:]
  private var delivered: Set<Delivery> = []
  /// Readers whose row was inserted and deleted within this snapshot.
  private var undelivered: Set<Delivery> = []
  /// The position of each reader's last insert: earlier changes are not theirs, although they see
  /// the row at the end of the snapshot.
  private var arrivals: [Delivery: ChangePosition] = [:]

  init(listeners: Set<String>, time: WireTime, changes: [Change]) {
    self.listeners = listeners
    self.time = time
    for change in changes where change.table == .locations && change.operation == .insert {
      let owner = LocationKey(change.key).owner
      for reader in change.audience {
        arrivals[Delivery(owner: owner, reader: reader)] = change.position
      }
    }
  }

  /// nil when the change is sent to nobody.
  mutating func item(for change: Change, from database: Database) throws -> FeedSnapshot.Item? {
    let key = LocationKey(change.key)
    guard !listeners.isEmpty else { return nil }
    if change.operation == .delete { return deletion(change, of: key.owner) }
    let affected = change.audience.filter(listeners.contains)
    guard key.mode != nil || !affected.isEmpty else { return nil }
    let position = try position(of: key.owner, from: database)
    let readers =
      key.mode.map { mode in
        Set(
          position.visibilities.lazy.filter { [listeners] in
            $0.value.mode == mode && listeners.contains($0.key)
          }.map(\.key))
      } ?? Set(affected)
    var events: [ChangeEvent] = []
    var numbers: [LocationRecord: Int] = [:]
    var people: [String: Int] = [:]
    for reader in readers {
      let pair = Delivery(owner: key.owner, reader: reader)
      if change.operation != .insert, let arrival = arrivals[pair], change.position < arrival {
        continue
      }
      guard let record = record(position, for: reader) else {
        if change.operation == .insert { undelivered.insert(pair) }
        continue
      }
      guard delivered.insert(pair).inserted else { continue }
      if numbers[record] == nil {
        numbers[record] = events.count
        // The commit time would reveal to a coarse reader when the cell changed, to the
        // microsecond.
        events.append(
          PublishedTables.locations.event(
            change.operation == .insert ? .insert : .update, of: record,
            at: record.precision == .precise ? change.at : record.recordedAt))
      }
      people[reader] = numbers[record]
    }
    return people.isEmpty ? nil : .rows(events, readers: people)
  }

  private mutating func deletion(_ change: Change, of owner: String) -> FeedSnapshot.Item? {
    let people = change.audience.filter { reader in
      delivered.remove(Delivery(owner: owner, reader: reader))
      return undelivered.remove(Delivery(owner: owner, reader: reader)) == nil
    }
    let event = PublishedTables.locations.deletion(of: ["user_id": .string(owner)], at: change.at)
    return .rows([event], readers: Dictionary(people.map { ($0, 0) }) { first, _ in first })
  }

  /// The position as a reader sees it. Nil also while a change of what they may see is not yet
  /// announced to them, such as the end of a share by the clock.
  private func record(_ position: Position, for reader: String) -> LocationRecord? {
    guard let visibility = position.visibilities[reader] else { return nil }
    let visible = LocationVisibility.project(
      position.stored, allowed: position.audience.allowed(reader), visibility: visibility)
    guard let record = try? visible.get(), record.precision == visibility.mode else { return nil }
    return record
  }

  private mutating func position(of owner: String, from database: Database) throws -> Position {
    if let known = positions[owner] { return known }
    let position = Position(
      stored: try LocationRecords.find(owner, in: database),
      visibilities: try ReaderVisibilityRecords.all(of: owner, in: database),
      audience: try LocationAudience(of: owner, at: time, in: database))
    positions[owner] = position
    return position
  }
}
