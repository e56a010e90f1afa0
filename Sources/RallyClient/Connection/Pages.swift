import RallySystem
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

  /// Pages that are asked for at the same time, and travel in one request where reads are joined.
  public static let mostAtOnce = 8
  /// The same of responses that are cut by size: as many as one answer of `CatchUp` has room for.
  static let mostCutAtOnce = 4

  /// All rows of a list.
  ///
  /// The next page begins after the rows that were received, and the list ends with an empty page,
  /// or with one of fewer rows than requested that was not cut. After whole pages twice as many are asked
  /// for at once, up to `mostAtOnce`. A row that moved to a later page between two requests is returned
  /// once.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of rows; nil for all.
  ///   - size: The requested rows per page.
  ///   - isEnough: Whether a row is the wanted one: no later page is fetched. Pages are asked for one by
  ///     one then.
  /// - Throws: What `fetch` throws; `NetworkError.invalidResponse` after `mostUnreadable` pages.
  public static func all<Row: Identifiable & Sendable>(
    limit: Int? = nil, size: Int = Paging.maximumLimit, until isEnough: ((Row) -> Bool)? = nil,
    _ fetch: @escaping @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] where Row.ID: Sendable {
    let most = min(limit ?? mostRows, mostRows)
    var rows: [Row] = []
    var seen: Set<Row.ID> = []
    var offset = 0
    var (unreadable, fetched, width) = (0, 0, 1)
    while fetched < mostPages {
      var isRegular = true
      for page in try await pages(width, from: offset, size: size, fetch) {
        // What follows it was asked for at another offset than where it ends.
        guard isRegular else { break }
        fetched += 1
        let known = rows.count
        unreadable = page.isEmpty && page.received > 0 ? unreadable + 1 : 0
        guard unreadable < mostUnreadable else { throw NetworkError.invalidResponse }
        for row in page where seen.insert(row.id).inserted { rows.append(row) }
        offset += page.received
        if rows.count >= most { return Array(rows.prefix(most)) }
        if let isEnough, page.contains(where: isEnough) { return rows }
        let isLast = page.received == 0 || page.received < size && page.isCutShort == false
        // A server that repeats the same rows would never end the list.
        if isLast || !page.isEmpty && rows.count == known { return rows }
        isRegular = page.received == size && !page.isEmpty
      }
      let wanted = isRegular && isEnough == nil ? width * 2 : 1
      width = min(wanted, mostAtOnce, (most - rows.count + size - 1) / size)
    }
    return rows
  }

  /// Pages that follow each other, in order.
  private static func pages<Row: Sendable>(
    _ count: Int, from offset: Int, size: Int,
    _ fetch: @escaping @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Page<Row>] {
    if count == 1 { return [try await fetch(offset)] }
    return try await withThrowingTaskGroup(of: (Int, Page<Row>).self) { group in
      for number in 0..<count {
        group.addTask { (number, try await fetch(offset + number * size)) }
      }
      var pages: [Int: Page<Row>] = [:]
      for try await (number, page) in group { pages[number] = page }
      return pages.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// All rows of a function without paging, whose responses are cut by size only, such as who may see
  /// me. A function that takes a limit is fetched with `all`.
  ///
  /// How many rows a response has is not known before. After one that was cut the next are
  /// requested together, a little closer to each other than that one was long. A row that two of
  /// them have counts once. Where rows are missing between two the rest is requested anew.
  package static func whole<Row: Hashable & Sendable>(
    _ fetch: @escaping @Sendable (_ offset: Int) async throws -> Page<Row>
  ) async throws -> [Row] {
    var rows: [Row] = []
    var offset = 0
    var (fetched, width, step) = (0, 1, 0)
    while fetched < mostPages {
      let begin = offset
      var shortest = Int.max
      for (number, page) in try await pages(width, from: begin, size: step, fetch).enumerated() {
        fetched += 1
        let start = begin + number * step
        // Rows that cannot be read are not there to be counted.
        guard start == offset || start < offset && page.count == page.received else { break }
        // A server that repeats the same rows would never end the list.
        let isRepeated =
          start == offset && offset > 0 && page.rows.elementsEqual(rows.suffix(page.count))
          || start > 0 && page.rows.elementsEqual(rows.prefix(page.count))
        if page.received == 0 || isRepeated { return rows }
        rows += page.rows.dropFirst(offset - start)
        offset = max(offset, start + page.received)
        if page.isCutShort != true { return rows }
        if rows.count >= mostRows { return Array(rows.prefix(mostRows)) }
        shortest = min(shortest, page.received)
      }
      step = max(1, shortest - shortest / 8)
      width = mostCutAtOnce
    }
    return rows
  }
}

/// One page of a list.
public struct Page<Row: Sendable>: Sendable, RandomAccessCollection {
  /// The valid rows.
  public var rows: [Row]
  /// How many rows the server sent, including invalid ones: the offset of the next page increases
  /// by this.
  public let received: Int
  /// Whether the response was cut at the server's size limit; nil if unknown.
  public let isCutShort: Bool?

  public init(rows: [Row], received: Int, isCutShort: Bool?) {
    self.rows = rows
    self.received = received
    self.isCutShort = isCutShort
  }

  public var startIndex: Int { rows.startIndex }
  public var endIndex: Int { rows.endIndex }
  public subscript(index: Int) -> Row { rows[index] }

  /// The page with converted rows; rows that convert to nil are left out.
  package func converted<Other>(_ convert: (Row) throws -> Other?) rethrows -> Page<Other> {
    Page<Other>(
      rows: try rows.compactMap(convert), received: received, isCutShort: isCutShort)
  }
}

/// The rows of a response and their total number, from PostgREST's header `Content-Range`.
struct ContentRange: Hashable, Sendable {
  /// Whether the response contains the last row.
  let isWhole: Bool

  /// - Parameter text: `0-11/40`, or `*/0` for no rows.
  /// - Returns: nil if the header is missing or has no total.
  init?(_ text: String?) {
    let parts = (text ?? "").split(separator: "/")
    guard parts.count == 2, let total = Int(parts[1]) else { return nil }
    guard parts[0] != "*" else {
      isWhole = total == 0
      return
    }
    guard let last = parts[0].split(separator: "-").last.flatMap({ Int($0) }) else { return nil }
    isWhole = last >= total - 1
  }
}
