import RallyWire

/// Fetches lists that come page by page.
public enum Pages {
  /// Every row of a list, asked for in pages of `Paging.maximumLimit`.
  ///
  /// A row that moved to a later page between two requests is taken once.
  public static func all<Row: Identifiable & Sendable>(
    _ fetch: @Sendable (_ offset: Int) async throws -> [Row]
  ) async throws -> [Row] where Row.ID: Sendable {
    var rows: [Row] = []
    var seen: Set<Row.ID> = []
    var offset = 0
    while true {
      let page = try await fetch(offset)
      for row in page where seen.insert(row.id).inserted { rows.append(row) }
      guard page.count >= Paging.maximumLimit else { return rows }
      offset += page.count
    }
  }
}
