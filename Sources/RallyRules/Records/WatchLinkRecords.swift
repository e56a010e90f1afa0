import RallyStorage
import RallyWire

/// A link to watch, and what its pages get.
package struct StoredWatchLink: Hashable, Sendable {
  let id: WatchLinkID
  package let owner: String
  /// The session that made it, and alone feeds it.
  let session: String
  let mode: SharingMode
  package let until: WireTime
  let createdAt: WireTime
  /// Of the secret with which a phone's browser feeds it: see `AccessSecret.digest`. nil for a link that
  /// its session feeds.
  package let secretHash: String?
  package var state = WatchState()
}

/// The tables `watch_links` and `watch_pages`. A link that ended is deleted, so that it cannot be told
/// from one that never was.
package enum WatchLinkRecords {
  private enum Column: Int, TableColumn {
    case id, owner, sessionID, mode, until, createdAt, counter, place, groundCounter, ground
    case secretHash
  }

  private static let table = StoredTable<Column>("watch_links", as: "l", key: [.id])

  private static func link(_ row: Row) throws -> StoredWatchLink {
    func message(_ counter: Column, _ sealed: Column) throws -> WatchMessage? {
      guard let sealed: String = try row[sealed] else { return nil }
      return WatchMessage(counter: try row[counter], sealed: sealed)
    }
    guard let id = WatchLinkID(try row[Column.id] as String) else {
      throw StorageFailure.damaged("a link to watch has no id")
    }
    return StoredWatchLink(
      id: id, owner: try row[Column.owner], session: try row[Column.sessionID],
      mode: try row[Column.mode], until: try row[Column.until],
      createdAt: try row[Column.createdAt], secretHash: try row[Column.secretHash],
      state: WatchState(
        place: try message(.counter, .place), ground: try message(.groundCounter, .ground)))
  }

  private static func links(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws -> [StoredWatchLink] {
    try table.rows(
      where: condition + " ORDER BY l.created_at, l.id", arguments, in: database
    ).map(link)
  }

  // MARK: - Reading

  package static func find(_ id: WatchLinkID, in database: Database) throws -> StoredWatchLink? {
    try links(where: "l.id = ?", [id.value], in: database).first
  }

  package static func all(of owner: String, in database: Database) throws -> [StoredWatchLink] {
    try links(where: "l.owner = ?", [owner], in: database)
  }

  /// When the next link ends; nil without one.
  package static func earliestEnd(in database: Database) throws -> WireTime? {
    try WireTime.fetchOne(database, sql: "SELECT min(until) FROM watch_links")
  }

  // MARK: - Writing

  /// Writes a link with its last messages, over the former ones.
  static func save(_ link: StoredWatchLink, in database: Database) throws {
    try table.upsert(into: database) { column in
      switch column {
      case .id: link.id.value
      case .owner: link.owner
      case .sessionID: link.session
      case .mode: link.mode
      case .until: link.until
      case .createdAt: link.createdAt
      case .counter: link.state.place?.counter ?? 0
      case .place: link.state.place?.sealed
      case .groundCounter: link.state.ground?.counter ?? 0
      case .ground: link.state.ground?.sealed
      case .secretHash: link.secretHash
      }
    }
  }

  static func end(_ link: WatchLinkID, at time: WireTime, in database: Database) throws {
    try database.execute(sql: "DELETE FROM watch_links WHERE id = ?", arguments: [link.value])
    try ChangeLog.append(.delete, in: .watchLinks, key: link.value, at: time, to: database)
  }

  static func end(of owner: String, at time: WireTime, in database: Database) throws {
    for link in try all(of: owner, in: database) { try end(link.id, at: time, in: database) }
  }

  static func end(ofSession session: String, at time: WireTime, in database: Database) throws {
    for link in try links(where: "l.session_id = ?", [session], in: database) {
      try end(link.id, at: time, in: database)
    }
  }

  /// Ends those whose time is over.
  static func endDue(at time: WireTime, in database: Database) throws {
    for link in try links(where: "l.until <= ?", [time.microseconds], in: database) {
      try end(link.id, at: time, in: database)
    }
  }

  // MARK: - Pages

  /// How long the count of a server holds that does not renew it.
  package static let countLifetime = Duration.seconds(180)

  /// How many pages have a link open, on all servers.
  package static func pages(
    of link: WatchLinkID, at time: WireTime, in database: Database
  ) throws -> Int {
    let count = try Int64.fetchOne(
      database,
      sql: """
        SELECT CAST(SUM(pages) AS BIGINT) FROM watch_pages WHERE link_id = ? AND at > ?
        """, arguments: [link.value, time.advanced(by: .zero - countLifetime).microseconds])
    return Int(count ?? 0)
  }

  /// Stores how many pages of one server have a link open; nothing for a link that ended.
  package static func setPages(
    _ count: Int, of link: WatchLinkID, on node: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM watch_pages WHERE link_id = ? AND node = ?",
      arguments: [link.value, node])
    guard count > 0, try find(link, in: database) != nil else { return }
    try database.execute(
      sql: "INSERT INTO watch_pages (link_id, node, pages, at) VALUES (?, ?, ?, ?)",
      arguments: [link.value, node, Int64(count), time.microseconds])
  }
}
