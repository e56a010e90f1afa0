/// Texts made ready to be searched as one types: folded once and packed one after the other.
///
/// A hundred thousand names take a few milliseconds to pack and fewer to look through; what a longer
/// term leaves is looked for only among what the shorter one left.
public struct SearchIndex: Sendable {
  private var units: ContiguousArray<UInt16> = []
  private var bonuses: ContiguousArray<UInt8> = []
  /// Where each text begins in `units`; and the end.
  private var starts: ContiguousArray<Int32> = [0]

  public init() {}

  /// - Parameter fields: For each text how to get the parts in which something is looked for.
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

  /// No needle has it, so that none is found across two parts.
  private mutating func addGap() {
    units.append(0)
    bonuses.append(0)
  }

  public var count: Int { starts.count - 1 }

  // MARK: Parts of texts

  /// The numbers of the texts that contain what was typed, in their order; nil for all of them.
  ///
  /// - Parameter among: The numbers to look at; nil looks at all.
  public func numbers(containing typed: String, among: [Int32]? = nil) -> [Int32]? {
    let needle = FoldedText.needle(typed)
    guard !needle.isEmpty else { return nil }
    var found: [Int32] = []
    units.withUnsafeBufferPointer { units in
      needle.withUnsafeBufferPointer { needle in
        starts.withUnsafeBufferPointer { starts in
          func look(_ number: Int) {
            let range = Int(starts[number])..<Int(starts[number + 1])
            if Self.contains(units, range, needle) { found.append(Int32(number)) }
          }
          if let among {
            for number in among { look(Int(number)) }
          } else {
            for number in 0..<(starts.count - 1) { look(number) }
          }
        }
      }
    }
    return found
  }

  private static func contains(
    _ units: UnsafeBufferPointer<UInt16>, _ range: Range<Int>,
    _ needle: UnsafeBufferPointer<UInt16>
  ) -> Bool {
    guard range.count >= needle.count else { return false }
    let first = needle[0]
    var start = range.lowerBound
    let last = range.upperBound - needle.count
    while start <= last {
      if units[start] == first {
        var length = 1
        while length < needle.count, units[start + length] == needle[length] { length += 1 }
        if length == needle.count { return true }
      }
      start += 1
    }
    return false
  }

  // MARK: Fuzzy

  /// A text that has all the letters of a query in their order.
  public struct Hit: Hashable, Sendable {
    public var number: Int
    /// The greater the better; only comparable between hits of one query.
    public var score: Int
    /// UTF-16 units of the folded text.
    public var length: Int
  }

  /// The texts that a query is found in, in the order of their numbers.
  ///
  /// - Parameter among: The numbers to look at; nil looks at all.
  public func hits(for query: FuzzyQuery, among: [Int32]? = nil) -> [Hit] {
    guard !query.isEmpty else { return [] }
    var found: [Hit] = []
    var scratch = FuzzyScratch()
    units.withUnsafeBufferPointer { units in
      bonuses.withUnsafeBufferPointer { bonuses in
        func look(_ number: Int) {
          let range = Int(starts[number])..<Int(starts[number + 1])
          let text = UnsafeBufferPointer(rebasing: units[range])
          let worth = UnsafeBufferPointer(rebasing: bonuses[range])
          if let score = query.score(text, worth, &scratch) {
            found.append(Hit(number: number, score: Int(score), length: range.count))
          }
        }
        if let among {
          for number in among { look(Int(number)) }
        } else {
          for number in 0..<count { look(number) }
        }
      }
    }
    return found
  }
}
