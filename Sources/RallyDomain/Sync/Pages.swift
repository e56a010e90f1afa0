import RallyWire

/// Fetches paginated lists, which end whatever the server sends.
public enum Pages {
  /// More rows than the budgets of a server let a list have: 6,000 friends or blocks, 3,000 missions.
  /// A longer list is cut.
  public static let mostRows = 20_000
  /// A page ends early at 256 KiB only, so that as many rows fit into fewer.
  public static let mostPages = 1000
  /// Pages one after the other of which no row can be read.
  public static let mostUnreadable = 8

  /// All rows of a list.
  ///
  /// The next page begins after the rows that were received, and the list ends with an empty page,
  /// or with one of fewer rows than requested that was not cut. A row that moved to a later page
  /// between two requests is returned once.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of rows; nil for all.
  ///   - size: The requested rows per page.
  ///   - isEnough: Whether a row is the wanted one: no later page is fetched.
  /// - Throws: What `fetch` throws; `NetworkError.invalidResponse` after `mostUnreadable` pages.
  public static func all<Row: Identifiable & Sendable>(
    limit: Int? = nil, size: Int = Paging.maximumLimit,
    until isEnough: (Row) -> Bool = { _ in false },
    _ fetch: @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] where Row.ID: Sendable {
    var rows: [Row] = []
    var seen: Set<Row.ID> = []
    var offset = 0
    var unreadable = 0
    for _ in 0..<mostPages {
      let page = try await fetch(offset)
      let known = rows.count
      unreadable = page.isEmpty && page.received > 0 ? unreadable + 1 : 0
      guard unreadable < mostUnreadable else { throw NetworkError.invalidResponse }
      for row in page where seen.insert(row.id).inserted { rows.append(row) }
      offset += page.received
      let most = min(limit ?? mostRows, mostRows)
      if rows.count >= most { return Array(rows.prefix(most)) }
      if page.contains(where: isEnough) { return rows }
      let isLast = page.received == 0 || page.received < size && page.isCutShort == false
      // A server that repeats the same rows would never end the list.
      if isLast || !page.isEmpty && rows.count == known { return rows }
    }
    return rows
  }

  /// All rows of a function without paging, whose responses are cut by size only.
  static func whole<Row: Hashable & Sendable>(
    _ fetch: @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] {
    var rows: [Row] = []
    var offset = 0
    for _ in 0..<mostPages {
      let page = try await fetch(offset)
      // A server that repeats the same rows would never end the list.
      let isRepeated = offset > 0 && page.rows.elementsEqual(rows.suffix(page.count))
      if page.received == 0 || isRepeated { return rows }
      rows += page.rows
      offset += page.received
      if page.isCutShort != true { return rows }
      if rows.count >= mostRows { return Array(rows.prefix(mostRows)) }
    }
    return rows
  }
}
