import GRDB
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
    var sights: [String: Sight]
    var audience: LocationAudience
  }

  /// The clock that ends timed shares.
  let time: WireTime
  private var positions: [String: Position] = [:]
  private var told: Set<Told> = []
  /// Readers whose row came and went again before they could hear of it.
  private var unheard: Set<Told> = []

  init(time: WireTime) { self.time = time }

  mutating func items(
    for change: Change, from database: Database
  ) throws -> [FeedAnswer.Item] {
    let key = LocationKey(change.key)
    if change.operation == .delete {
      let people = change.audience.filter { reader in
        told.remove(Told(owner: key.owner, reader: reader))
        return unheard.remove(Told(owner: key.owner, reader: reader)) == nil
      }
      let event = try PublishedTable.event(.delete, of: key.owner, at: change.at, record: nil)
      return event.map { [.location($0, people: Set(people))] } ?? []
    }
    let position = try position(of: key.owner, from: database)
    let readers =
      key.mode.map { mode in position.sights.filter { $0.value.mode == mode }.map(\.key) }
      ?? change.audience
    var people: [LocationRecord: Set<String>] = [:]
    for reader in readers {
      let pair = Told(owner: key.owner, reader: reader)
      guard let record = record(position, for: reader) else {
        if change.operation == .insert { unheard.insert(pair) }
        continue
      }
      if told.insert(pair).inserted { people[record, default: []].insert(reader) }
    }
    return try people.compactMap { record, people in
      try PublishedTable.event(
        change.operation == .insert ? .insert : .update, of: key.owner, at: change.at,
        record: record
      ).map { .location($0, people: people) }
    }
  }

  /// nil also for somebody whose share has just ended by the clock: that is announced in a moment,
  /// and until then nothing is said.
  private func record(_ position: Position, for reader: String) -> LocationRecord? {
    guard let stored = position.stored, let sight = position.sights[reader],
      sight.mode == min(position.audience.mode(for: reader), stored.precision)
    else { return nil }
    return LocationVisibility.project(stored, for: sight)
  }

  private mutating func position(of owner: String, from database: Database) throws -> Position {
    if let known = positions[owner] { return known }
    let position = Position(
      stored: try LocationRecords.find(owner, in: database),
      sights: try SightRecords.all(of: owner, in: database),
      audience: try LocationAudience(of: owner, at: time, in: database))
    positions[owner] = position
    return position
  }
}
