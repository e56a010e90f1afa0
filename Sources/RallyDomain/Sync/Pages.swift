import RallyWire

/// Fetches paginated lists.
public enum Pages {
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
  public static func all<Row: Identifiable & Sendable>(
    limit: Int? = nil, size: Int = Paging.maximumLimit,
    until isEnough: (Row) -> Bool = { _ in false },
    _ fetch: @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] where Row.ID: Sendable {
    var rows: [Row] = []
    var seen: Set<Row.ID> = []
    var offset = 0
    while true {
      let page = try await fetch(offset)
      let known = rows.count
      for row in page where seen.insert(row.id).inserted { rows.append(row) }
      offset += page.received
      if let limit, rows.count >= limit { return Array(rows.prefix(limit)) }
      if page.contains(where: isEnough) { return rows }
      let isLast = page.received == 0 || page.received < size && page.isCutShort == false
      // A server that repeats the same rows would never end the list.
      if isLast || !page.isEmpty && rows.count == known { return rows }
    }
  }

  /// All rows of a function without paging, whose responses are cut by size only.
  static func whole<Row: Hashable & Sendable>(
    _ fetch: @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] {
    var rows: [Row] = []
    var offset = 0
    while true {
      let page = try await fetch(offset)
      // A server that repeats the same rows would never end the list.
      let isRepeated = offset > 0 && page.rows.elementsEqual(rows.suffix(page.count))
      if page.received == 0 || isRepeated { return rows }
      rows += page.rows
      offset += page.received
      if page.isCutShort != true { return rows }
    }
  }
}
