import RallyWire

/// Turns changes of `locations` into events, each cut for those who get it.
///
/// Lives for one snapshot: what a reader was already told from it is not said twice.
struct LocationChanges {
  private struct Told: Hashable {
    let owner: String
    let reader: String
  }

  private struct Position {
    var stored: StoredLocation?
    var sights: [String: ReaderVisibility]
    var audience: LocationAudience
  }

  /// Who is worth a look: the others hear nothing anyway.
  let listeners: Set<String>
  /// The clock that ends timed shares.
  let time: WireTime
  private var positions: [String: Position] = [:]
  private var told: Set<Told> = []
  /// Readers whose row came and went again before they could hear of it.
  private var unheard: Set<Told> = []
  /// Where readers last get a row: what happens before it is none of theirs, though the database,
  /// which is at the end of the snapshot, says that they see it.
  private var arrivals: [Told: ChangePosition] = [:]

  init(listeners: Set<String>, time: WireTime, changes: [Change]) {
    self.listeners = listeners
    self.time = time
    for change in changes where change.table == .locations && change.operation == .insert {
      let owner = LocationKey(change.key).owner
      for reader in change.audience {
        arrivals[Told(owner: owner, reader: reader)] = change.position
      }
    }
  }

  /// nil when nobody hears of the change.
  mutating func item(for change: Change, from database: Database) throws -> FeedSnapshot.Item? {
    let key = LocationKey(change.key)
    guard !listeners.isEmpty else { return nil }
    if change.operation == .delete { return try deletion(change, of: key.owner) }
    let affected = change.audience.filter(listeners.contains)
    guard key.mode != nil || !affected.isEmpty else { return nil }
    let position = try position(of: key.owner, from: database)
    let readers =
      key.mode.map { mode in
        Set(
          position.sights.lazy.filter { [listeners] in
            $0.value.mode == mode && listeners.contains($0.key)
          }.map(\.key))
      } ?? Set(affected)
    var events: [ChangeEvent] = []
    var numbers: [LocationRecord: Int] = [:]
    var people: [String: Int] = [:]
    for reader in readers {
      let pair = Told(owner: key.owner, reader: reader)
      if change.operation != .insert, let arrival = arrivals[pair], change.position < arrival {
        continue
      }
      guard let record = record(position, for: reader) else {
        if change.operation == .insert { unheard.insert(pair) }
        continue
      }
      guard told.insert(pair).inserted else { continue }
      if numbers[record] == nil,
        let event = try PublishedTable.event(
          change.operation == .insert ? .insert : .update, of: key.owner, at: change.at,
          record: record)
      {
        numbers[record] = events.count
        events.append(event)
      }
      people[reader] = numbers[record]
    }
    return people.isEmpty ? nil : .rows(events, readers: people)
  }

  private mutating func deletion(_ change: Change, of owner: String) throws -> FeedSnapshot.Item? {
    let people = change.audience.filter { reader in
      told.remove(Told(owner: owner, reader: reader))
      return unheard.remove(Told(owner: owner, reader: reader)) == nil
    }
    let event = try PublishedTable.event(.delete, of: owner, at: change.at, record: nil)
    return event.map { event in
      .rows([event], readers: Dictionary(people.map { ($0, 0) }) { first, _ in first })
    }
  }

  /// The position as a reader sees it; nil also while a change of what they may see is not yet
  /// announced to them, such as the end of a share by the clock.
  private func record(_ position: Position, for reader: String) -> LocationRecord? {
    guard let sight = position.sights[reader] else { return nil }
    let visible = LocationVisibility.project(
      position.stored, allowed: position.audience.allowed(reader), sight: sight)
    guard let record = try? visible.get(), record.precision == sight.mode else { return nil }
    return record
  }

  private mutating func position(of owner: String, from database: Database) throws -> Position {
    if let known = positions[owner] { return known }
    let position = Position(
      stored: try LocationRecords.find(owner, in: database),
      sights: try ReaderVisibilityRecords.all(of: owner, in: database),
      audience: try LocationAudience(of: owner, at: time, in: database))
    positions[owner] = position
    return position
  }
}
