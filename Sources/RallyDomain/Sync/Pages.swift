import RallyWire

/// Fetches paginated lists.
public enum Pages {
  /// Every row of a list.
  ///
  /// The next page begins after the rows that were received, and the list ends with an empty page,
  /// or with one of fewer rows than were asked for which the server says was not cut short. A row
  /// that moved to a later page between two requests is taken once.
  ///
  /// - Parameters:
  ///   - limit: How many rows are wanted at most; nil for all.
  ///   - size: How many rows each page asks for.
  ///   - isEnough: Whether a row is the one that is looked for: no page after it is fetched.
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
      // A server that sends the same rows again and again never comes to an end.
      if isLast || !page.isEmpty && rows.count == known { return rows }
    }
  }

  /// Every row of a result that is not paged by its function, and so cut in bytes alone.
  static func whole<Row: Hashable & Sendable>(
    _ fetch: @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] {
    var rows: [Row] = []
    var offset = 0
    while true {
      let page = try await fetch(offset)
      // A server that sends the same rows again and again never comes to an end.
      let isRepeated = offset > 0 && page.rows.elementsEqual(rows.suffix(page.count))
      if page.received == 0 || isRepeated { return rows }
      rows += page.rows
      offset += page.received
      if page.isCutShort != true { return rows }
    }
  }
}
