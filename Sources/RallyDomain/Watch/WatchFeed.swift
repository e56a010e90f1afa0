import RallyWatch
import RallyWire

/// A link that this terminal made, and what it was fed.
struct WatchFeed: Sendable {
  let address: WatchAddress
  let record: WatchLinkRecord
  /// What is sent to whoever may watch.
  let link: String
  private(set) var counter: Int64 = 0
  /// What was shown last, with its old time while nothing newer may leave.
  private(set) var place: WatchPlace
  /// The cell whose surroundings pages have, and the counter of these; nil for a cell without lines.
  private(set) var ground: (counter: Int64?, cell: GridCell)?
  /// When the next message is due.
  var next: ContinuousClock.Instant = .now

  /// - Parameters:
  ///   - name: What I am called.
  ///   - server: The server's public address.
  init(_ address: WatchAddress, _ record: WatchLinkRecord, name: String, server: String) {
    self.address = address
    self.record = record
    link = address.link(at: server)
    place = WatchPlace(
      name: name, mode: record.mode, sentAt: record.createdAt, until: record.until)
  }

  var isFirst: Bool { counter == 0 }

  /// Shows the place itself; nothing of a coarse link does.
  mutating func show(_ fix: LocationFix, near: String?) {
    place.coordinate = fix.coordinate
    place.accuracyMetres = fix.accuracyMetres
    place.speed = fix.speed
    place.course = fix.course
    place.recordedAt = fix.recordedAt
    place.near = near
  }

  /// Shows a cell, with the quarter hour in which it was announced.
  mutating func show(_ cell: GridCell, since: WireTime, near: String?) {
    place.coordinate = cell.center
    place.accuracyMetres = cell.level.accuracyMetres
    place.recordedAt = since
    place.near = near
  }

  /// The cell whose surroundings belong to what is shown, if those are others than pages have.
  var newSurroundings: GridCell? {
    guard let place = place.coordinate else { return nil }
    let cell = GridCell.following(
      ground?.cell, at: place, level: record.mode.gridLevel ?? .oneKilometre)
    return cell == ground?.cell ? nil : cell
  }

  /// The next messages.
  ///
  /// - Parameters:
  ///   - lines: Those around the cell; nil for none.
  ///   - cell: The new surroundings; nil where pages have them.
  mutating func seal(
    _ lines: WatchGround?, of cell: GridCell?, at now: WireTime
  ) throws -> (place: WatchMessage, ground: WatchMessage?) {
    counter += 1
    var sealed: WatchMessage?
    if let cell {
      ground = (lines == nil ? nil : counter, cell)
      sealed = lines?.message(counter: counter, of: address)
    }
    place.ground = ground?.counter
    place.sentAt = now
    return (try place.message(counter: counter, of: address), sealed)
  }

  /// The server may not have got the ground: it is sent again.
  mutating func lostGround() { ground = nil }

  /// The time to the next message: the beat with a tenth of it more or less, whatever happens.
  mutating func setNext() {
    let beat = WatchRules.beat(record.mode)
    next = .now + beat * Double.random(in: 0.9...1.1)
  }
}
