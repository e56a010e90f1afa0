import RallySystem

/// A search index for search as you type: texts are folded once and stored in one contiguous array.
///
/// Building it for a hundred thousand names takes a few milliseconds, a search less. While a term
/// gets longer, only the previous results need to be searched (`among`).
public struct SearchIndex: Sendable {
  private var units: ContiguousArray<UInt16> = []
  private var bonuses: ContiguousArray<UInt8> = []
  /// The start of each text in `units`, followed by the end of the last one.
  private var starts: ContiguousArray<Int32> = [0]

  public init() {}

  /// - Parameter fields: Return the searchable fields of an element.
  public init<Element>(_ elements: some Collection<Element>, fields: [(Element) -> String]) {
    units.reserveCapacity(elements.count * 24)
    bonuses.reserveCapacity(elements.count * 24)
    starts.reserveCapacity(elements.count + 1)
    for element in elements {
      for (number, field) in fields.enumerated() {
        if number > 0 { addGap() }
        FoldedText.fold(field(element)) { unit, bonus, _ in
          units.append(unit)
          bonuses.append(bonus)
        }
      }
      starts.append(Int32(units.count))
    }
  }

  /// Separates fields with a unit that no search term contains, so that no match spans two fields.
  private mutating func addGap() {
    units.append(0)
    bonuses.append(0)
  }

  public var count: Int { starts.count - 1 }

  // MARK: Parts of texts

  /// The indices of the texts that contain a term, in ascending order; nil if the term is empty
  /// (all match).
  ///
  /// - Parameter among: The indices to search; nil searches all.
  public func numbers(containing typed: String, among: [Int32]? = nil) -> [Int32]? {
    let needle = FoldedText.needle(typed)
    guard !needle.isEmpty else { return nil }
    let text = units.span
    var found: [Int32] = []
    for place in 0..<(among?.count ?? count) {
      let number = among.map { Int($0[place]) } ?? place
      let range = Int(starts[number])..<Int(starts[number + 1])
      if Self.contains(text.extracting(range), needle.span) { found.append(Int32(number)) }
    }
    return found
  }

  private static func contains(_ text: Span<UInt16>, _ needle: Span<UInt16>) -> Bool {
    guard text.count >= needle.count else { return false }
    let first = needle[0]
    let last = text.count - needle.count
    var start = 0
    while start <= last {
      // A check that `start` is within the text takes a quarter of the search.
      if text[unchecked: start] == first {
        var length = 1
        while length < needle.count, text[start + length] == needle[length] { length += 1 }
        if length == needle.count { return true }
      }
      start += 1
    }
    return false
  }

  // MARK: Fuzzy

  /// A text that matches a fuzzy query.
  public struct Hit: Hashable, Sendable {
    public var number: Int
    /// Higher is better; only comparable between hits of one query.
    public var score: Int
    /// In UTF-16 units of the folded text.
    public var length: Int
  }

  /// The texts that match a query, in ascending order of their indices; none for an empty query.
  ///
  /// - Parameter among: The indices to search; nil searches all.
  public func hits(for query: FuzzyQuery, among: [Int32]? = nil) -> [Hit] {
    guard !query.isEmpty else { return [] }
    var found: [Hit] = []
    var scratch = FuzzyScratch()
    let text = units.span
    let worth = bonuses.span
    for place in 0..<(among?.count ?? count) {
      let number = among.map { Int($0[place]) } ?? place
      let range = Int(starts[number])..<Int(starts[number + 1])
      if let score = query.score(text.extracting(range), worth.extracting(range), &scratch) {
        found.append(Hit(number: number, score: Int(score), length: range.count))
      }
    }
    return found
  }
}

/// Filters by a text while it is typed: a longer text looks only among what the shorter one left.
public struct GrowingFilter: Sendable {
  private var last: (text: String, numbers: [Int32]?) = ("", nil)

  public init() {}

  /// The indices of the texts that contain a term, in ascending order; nil if all do.
  ///
  /// - Parameter index: The same one as at the last call; after another one a new filter is needed.
  public mutating func numbers(
    containing text: String, in index: @autoclosure () -> SearchIndex
  ) -> [Int32]? {
    if text == last.text { return last.numbers }
    let isLonger = !last.text.isEmpty && text.hasPrefix(last.text)
    let numbers = index().numbers(containing: text, among: isLonger ? last.numbers : nil)
    last = (text, numbers)
    return numbers
  }
}
