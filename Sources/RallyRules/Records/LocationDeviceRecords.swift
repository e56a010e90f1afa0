import RallyStorage
import RallyWire

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
    try Row.fetchAll(
      database, sql: "SELECT \(table.columns) FROM location_devices d WHERE d.user_id = ?",
      arguments: [owner]
    ).reduce(into: Known()) { known, row in
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
    try database.execute(
      sql: "DELETE FROM location_devices WHERE user_id = ?", arguments: [owner])
  }

  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM location_devices WHERE reported_at < ?",
      arguments: [time.advanced(by: .zero - retention).microseconds])
  }
}
