import Foundation
import RallyGate
import RallyStorage
import RallyWire

/// One of the devices that report a person's position, and the rule between them: a device that
/// stays still does not displace one that moves. Neither a position nor when it was measured is
/// kept for this, only the mark of a cell and when the server got it.
package struct LocationDevice: Hashable, Sendable {
  /// How long a report, and a movement, counts.
  static let memory = Duration.seconds(900)
  /// Metres a second; a device this fast moves.
  static let movingSpeed = 1.0
  /// The source of a position that the person chose. It counts as movement: they say that they are
  /// there now.
  static let chosenSource = "manual"

  /// The phone's id, or that of the session.
  let id: String
  /// When its last report came.
  var reportedAt: WireTime
  /// When the last report of a movement came; nil for none.
  var movedAt: WireTime?
  /// Of its newest report.
  var accuracyMetres: Double?
  /// See `CellMarks`: of the cell of about 1 km that it is in.
  var mark: String
}

extension LocationDevice {
  /// The state after a report.
  ///
  /// - Parameters:
  ///   - previous: The state before; nil for a device that is not known.
  ///   - mark: The mark of a cell.
  /// - Returns: nil if the report names no place.
  init?(
    _ report: LocationReport, from id: String, at now: WireTime, after previous: LocationDevice?,
    mark: (GridCell) -> String
  ) {
    guard let place = report.coordinate else { return nil }
    let stayed = previous.flatMap { LocationDevice.cell(marked: $0.mark, around: place, mark) }
    let cell = stayed ?? GridCell(containing: place, level: .oneKilometre)
    let hasMoved =
      report.source == LocationDevice.chosenSource
      || report.speed ?? 0 >= LocationDevice.movingSpeed || (previous != nil && stayed == nil)
    // Of a movement that is reported late, nothing follows for now.
    let isRecent = now.since(report.recordedAt) <= LocationDevice.memory
    self.init(
      id: id, reportedAt: now, movedAt: hasMoved && isRecent ? now : previous?.movedAt,
      accuracyMetres: report.accuracyMetres, mark: mark(cell))
  }

  /// The cell with this mark, if the place is in it or too near to its edge to decide.
  private static func cell(
    marked wanted: String, around place: Coordinate, _ mark: (GridCell) -> String
  ) -> GridCell? {
    let here = GridCell(containing: place, level: .oneKilometre)
    if mark(here) == wanted { return here }
    return here.neighbourhood.first {
      mark($0) == wanted && GridCell.following($0, at: place, level: .oneKilometre) == $0
    }
  }

  private func isFresh(_ time: WireTime?, at now: WireTime) -> Bool {
    time?.isRecent(within: LocationDevice.memory, at: now) ?? false
  }

  /// Whether this device's report takes the place of another one's.
  func replaces(_ other: LocationDevice, at now: WireTime) -> Bool {
    guard other.id != id, isFresh(other.reportedAt, at: now) else { return true }
    let (mine, theirs) = (movedAt, other.movedAt)
    if let mine, isFresh(mine, at: now) {
      guard let theirs, isFresh(theirs, at: now) else { return true }
      return mine > theirs
    }
    guard !isFresh(theirs, at: now) else { return false }
    return accuracyMetres ?? .infinity < other.accuracyMetres ?? .infinity
  }
}

/// Keyed digests by which cells are recognized without storing them.
///
/// A mark is a digest of a cell and its owner. Its key is not in the database, so marks alone
/// reveal no place. Given a new position, the cell is found by trying those nearby.
package struct CellMarks: Sendable {
  package let keys: KeyRing

  package init(keys: KeyRing) { self.keys = keys }

  func mark(_ cell: GridCell, of owner: UUID) -> String {
    let key = keys.current.moveSecret
    let words = [
      "rally cell", owner.wireText, cell.level.rawValue, "\(cell.row)", "\(cell.column)",
    ]
    return Base64URL.encode(Sodium.hmac(words.joined(separator: " ").utf8, key: key).prefix(16))
  }
}

package struct CellMoves: Sendable {
  package let delay: MoveDelay
  let marks: CellMarks

  package init(delay: MoveDelay, marks: CellMarks) {
    self.delay = delay
    self.marks = marks
  }

  /// When a move is announced.
  func due(_ move: CellMove) -> WireTime { delay.due(move, marks.keys.current.moveSecret) }
}

extension MoveDelay {
  /// When a move is announced under a secret of this server.
  func due(_ move: CellMove, _ key: SecretKey) -> WireTime {
    due(move) { Sodium.hmac($0.utf8, key: key) }
  }
}

/// The table `location_devices`: what `LocationDevice` keeps of the devices of a person.
package enum LocationDeviceRecords {
  /// How long a device is remembered after its last report: no longer than the call itself.
  package static let retention = CallRecords.positionRetention

  private enum Column: Int, TableColumn {
    case userID, device, reportedAt, movedAt, accuracyM, mark, isShown
  }

  private static let table = StoredTable<Column>(
    "location_devices", as: "d", key: [.userID, .device])

  package struct Known: Hashable, Sendable {
    var devices: [String: LocationDevice] = [:]
    /// The device whose report is the person's position.
    var shown: LocationDevice?
  }

  package static func all(of owner: String, in database: Database) throws -> Known {
    try table.rows(where: "d.user_id = ?", [owner], in: database).reduce(into: Known()) {
      known, row in
      let device = LocationDevice(
        id: try row[Column.device], reportedAt: try row[Column.reportedAt],
        movedAt: try row[Column.movedAt], accuracyMetres: try row[Column.accuracyM],
        mark: try row[Column.mark])
      known.devices[device.id] = device
      if try row[Column.isShown] { known.shown = device }
    }
  }

  /// - Parameter isShown: Whether its report is the person's position now, instead of any other's.
  package static func set(
    _ device: LocationDevice, of owner: String, isShown: Bool, in database: Database
  ) throws {
    if isShown {
      try database.execute(
        sql: """
          UPDATE location_devices SET is_shown = 0
          WHERE user_id = ? AND device <> ? AND is_shown = 1
          """, arguments: [owner, device.id])
    }
    try table.upsert(into: database) { column in
      switch column {
      case .userID: owner
      case .device: device.id
      case .reportedAt: device.reportedAt
      case .movedAt: device.movedAt
      case .accuracyM: device.accuracyMetres
      case .mark: device.mark
      case .isShown: isShown
      }
    }
  }

  package static func delete(_ device: String, of owner: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM location_devices WHERE user_id = ? AND device = ?",
      arguments: [owner, device])
  }

  static func deleteAll(of owner: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM location_devices WHERE user_id = ?", arguments: [owner])
  }

  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM location_devices WHERE reported_at < ?",
      arguments: [time.advanced(by: .zero - retention).microseconds])
  }
}
