/// A fuzzy search query. The letters of a term must occur in this order, not necessarily adjacent.
/// White space separates terms; each one must match.
///
/// Scored as in fzf: adjacent letters, word starts and humps raise the score, gaps lower it.
public struct FuzzyQuery: Hashable, Sendable {
  private let terms: [ContiguousArray<UInt16>]

  public init(_ typed: String) {
    terms = typed.split(whereSeparator: \.isWhitespace).map { FoldedText(String($0)).units }
      .filter { !$0.isEmpty }
  }

  public var isEmpty: Bool { terms.isEmpty }

  /// Whether every match of this query also matches `other`, so that only the matches of `other`
  /// need to be searched.
  public func narrows(_ other: FuzzyQuery) -> Bool {
    guard !other.isEmpty, terms.count >= other.terms.count else { return false }
    return zip(other.terms, terms).allSatisfy { $1.starts(with: $0) }
  }

  // MARK: Score

  /// - Returns: nil if a term does not match.
  func score(
    _ text: Span<UInt16>, _ bonuses: Span<UInt8>, _ scratch: inout FuzzyScratch
  ) -> Int32? {
    var sum: Int32 = 0
    for term in terms {
      guard let score = scratch.score(term, text, bonuses, needsTrace: false) else { return nil }
      sum += score
    }
    return sum
  }

  /// The indices of the matched characters of a text; nil if the query does not match.
  ///
  /// - Parameter text: As displayed.
  public func matches(in text: String) -> Set<Int>? {
    let folded = FoldedText(text)
    var scratch = FuzzyScratch()
    var found: Set<Int> = []
    for term in terms {
      let score = scratch.score(term, folded.units.span, folded.bonuses.span, needsTrace: true)
      guard score != nil else { return nil }
      for place in scratch.places(ofTermOf: term.count) {
        found.insert(Int(folded.characters[place]))
      }
    }
    return found
  }
}

/// The scoring matrix, whose memory is reused from text to text.
struct FuzzyScratch {
  /// The best score of a text up to a place, and the length of the run of matches that ends there.
  private struct Cell {
    var score: Int32 = 0
    var run: Int32 = 0
  }

  /// For each letter of the term, the first place where it can match.
  private var firsts: [Int] = []
  /// One row of the text's length per letter of the term, or two rows in all if no trace is needed.
  private var cells: [Cell] = []
  private var width = 0
  private var end = 0

  /// The best score of a term in a text, or nil without a match; see `FuzzyMatchV2` in fzf.
  ///
  /// - Parameter needsTrace: Keeps all rows, for `places`.
  mutating func score(
    _ term: ContiguousArray<UInt16>, _ text: Span<UInt16>, _ bonuses: Span<UInt8>,
    needsTrace: Bool
  ) -> Int32? {
    if term.count == 1, !needsTrace { return Self.score(ofLetter: term[0], text, bonuses) }
    guard findFirsts(term, text) else { return nil }
    width = text.count
    let room = width * (needsTrace ? term.count : min(2, term.count))
    if cells.count < room || needsTrace { cells = Array(repeating: Cell(), count: room) }
    var best: (score: Int32, place: Int) = (-1, 0)
    for letter in term.indices {
      let row = (needsTrace ? letter : letter % 2) * width
      let above = (needsTrace ? letter - 1 : (letter + 1) % 2) * width
      best = fillRow(row, below: above, of: letter, in: term, text, bonuses)
    }
    end = best.place
    return best.score
  }

  /// The best score of a single letter, which needs no matrix; nil without a match.
  private static func score(
    ofLetter letter: UInt16, _ text: Span<UInt16>, _ bonuses: Span<UInt8>
  ) -> Int32? {
    var best: UInt8?
    for place in text.indices where text[place] == letter {
      best = max(best ?? 0, bonuses[place])
    }
    return best.map { FuzzyScore.match + Int32($0) * FuzzyScore.firstMultiplier }
  }

  /// Fills the row of one letter.
  ///
  /// - Parameters:
  ///   - row: Where the row begins in `cells`.
  ///   - above: Where the row of the letter before begins.
  ///   - number: Of the letter in the term.
  /// - Returns: The best score in the row, and its place.
  private mutating func fillRow(
    _ row: Int, below above: Int, of number: Int, in term: ContiguousArray<UInt16>,
    _ text: Span<UInt16>, _ bonuses: Span<UInt8>
  ) -> (score: Int32, place: Int) {
    let (letter, first) = (term[number], firsts[number])
    var cells = cells.mutableSpan
    var best: (score: Int32, place: Int) = (-1, 0)
    var isInGap = false
    var left: Int32 = 0
    for place in first..<text.count {
      let skipped = left + (isInGap ? FuzzyScore.gapExtension : FuzzyScore.gapStart)
      var matched: Int32 = 0
      var run: Int32 = 0
      if text[place] == letter {
        let bonus = bonuses[place]
        if number == 0 {
          matched = FuzzyScore.match + Int32(bonus) * FuzzyScore.firstMultiplier
          // Keep an earlier, better start (fzf drops it here).
          run = matched < skipped ? 0 : 1
        } else {
          // `place` is after the first place of the previous letter, so `place - 1` is valid.
          let before = cells[above + place - 1]
          (matched, run) = Self.continued(
            before.score + FuzzyScore.match, run: before.run + 1, bonus, bonuses, place, skipped)
        }
      }
      isInGap = matched < skipped
      left = max(matched, skipped, 0)
      cells[row + place] = Cell(score: left, run: run)
      if left > best.score { best = (left, place) }
    }
    return best
  }

  /// The score of a match that may continue a run of adjacent matches, and the length of the run.
  private static func continued(
    _ score: Int32, run: Int32, _ bonus: UInt8, _ bonuses: Span<UInt8>, _ place: Int,
    _ skipped: Int32
  ) -> (score: Int32, run: Int32) {
    var (worth, length) = (bonus, run)
    if run > 1 {
      let beginning = bonuses[place - Int(run) + 1]
      if bonus >= FuzzyScore.boundary, bonus > beginning {
        length = 1
      } else {
        worth = max(bonus, FuzzyScore.consecutive, beginning)
      }
    }
    if score + Int32(worth) < skipped { return (score + Int32(bonus), 0) }
    return (score + Int32(worth), length)
  }

  private mutating func findFirsts(
    _ term: ContiguousArray<UInt16>, _ text: Span<UInt16>
  ) -> Bool {
    if firsts.count < term.count { firsts = Array(repeating: 0, count: term.count) }
    var place = 0
    for (letter, unit) in term.enumerated() {
      while place < text.count, text[place] != unit { place += 1 }
      if place == text.count { return false }
      firsts[letter] = place
      place += 1
    }
    return true
  }

  /// The places of the matched letters, traced back from the last `score` with `needsTrace`.
  func places(ofTermOf count: Int) -> [Int] {
    var places: [Int] = []
    var (letter, place) = (count - 1, end)
    var prefersMatch = true
    while place >= 0 {
      let row = letter * width
      let score = cells[row + place].score
      let diagonal =
        letter > 0 && place >= firsts[letter] ? cells[row - width + place - 1].score : 0
      let left = place > firsts[letter] ? cells[row + place - 1].score : 0
      if score > diagonal, score > left || score == left && prefersMatch {
        places.append(place)
        if letter == 0 { break }
        letter -= 1
      }
      let next = row + width + place + 1
      prefersMatch = cells[row + place].run > 1 || next < count * width && cells[next].run > 0
      place -= 1
    }
    return places.reversed()
  }
}
