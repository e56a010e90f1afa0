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
    _ text: UnsafeBufferPointer<UInt16>, _ bonuses: UnsafeBufferPointer<UInt8>,
    _ scratch: inout FuzzyScratch
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
      let places = folded.units.withUnsafeBufferPointer { units in
        folded.bonuses.withUnsafeBufferPointer { bonuses -> [Int]? in
          guard scratch.score(term, units, bonuses, needsTrace: true) != nil else { return nil }
          return scratch.places(ofTermOf: term.count)
        }
      }
      guard let places else { return nil }
      found.formUnion(places.map { Int(folded.characters[$0]) })
    }
    return found
  }
}

/// The offsets of the row of a letter and of the row of the letter before it.
private struct FuzzyRows {
  let scores: UnsafeMutableBufferPointer<Int32>
  let runs: UnsafeMutableBufferPointer<Int32>
  let row: Int
  let above: Int
}

/// Buffers for the scoring matrix, reused from text to text.
struct FuzzyScratch {
  /// For each letter of the term, the first place where it can match.
  private var firsts: [Int] = []
  /// Scores and run lengths: one row of the text's length per letter of the term, or two rows in
  /// all if no trace is needed.
  private var scores: [Int32] = []
  private var runs: [Int32] = []
  private var width = 0
  private var end = 0

  /// The best score of a term in a text, or nil without a match; see `FuzzyMatchV2` in fzf.
  ///
  /// - Parameter needsTrace: Keeps all rows, for `places`.
  mutating func score(
    _ term: ContiguousArray<UInt16>, _ text: UnsafeBufferPointer<UInt16>,
    _ bonuses: UnsafeBufferPointer<UInt8>, needsTrace: Bool
  ) -> Int32? {
    if term.count == 1, !needsTrace { return Self.score(ofLetter: term[0], text, bonuses) }
    guard findFirsts(term, text) else { return nil }
    width = text.count
    let room = width * (needsTrace ? term.count : min(2, term.count))
    if scores.count < room || needsTrace {
      scores = Array(repeating: 0, count: room)
      runs = Array(repeating: 0, count: room)
    }
    var best: (score: Int32, place: Int) = (-1, 0)
    // Unsafe buffers avoid bounds checks: a search in a hundred thousand texts spends its time
    // here.
    scores.withUnsafeMutableBufferPointer { scores in
      runs.withUnsafeMutableBufferPointer { runs in
        for letter in term.indices {
          let row = (needsTrace ? letter : letter % 2) * width
          let above = (needsTrace ? letter - 1 : (letter + 1) % 2) * width
          best = Self.fillRow(
            of: term[letter], isFirst: letter == 0, from: firsts[letter],
            FuzzyRows(scores: scores, runs: runs, row: row, above: above), text, bonuses)
        }
      }
    }
    end = best.place
    return best.score
  }

  /// The best score of a single letter, which needs no matrix; nil without a match.
  private static func score(
    ofLetter letter: UInt16, _ text: UnsafeBufferPointer<UInt16>,
    _ bonuses: UnsafeBufferPointer<UInt8>
  ) -> Int32? {
    var best: UInt8?
    for place in text.indices where text[place] == letter {
      best = max(best ?? 0, bonuses[place])
    }
    return best.map { FuzzyScore.match + Int32($0) * FuzzyScore.firstMultiplier }
  }

  /// Fills the row of one letter.
  ///
  /// - Returns: The best score in the row, and its place.
  private static func fillRow(
    of letter: UInt16, isFirst: Bool, from first: Int, _ rows: FuzzyRows,
    _ text: UnsafeBufferPointer<UInt16>, _ bonuses: UnsafeBufferPointer<UInt8>
  ) -> (score: Int32, place: Int) {
    var best: (score: Int32, place: Int) = (-1, 0)
    var isInGap = false
    var left: Int32 = 0
    for place in first..<text.count {
      let skipped = left + (isInGap ? FuzzyScore.gapExtension : FuzzyScore.gapStart)
      var matched: Int32 = 0
      var run: Int32 = 0
      if text[place] == letter {
        let bonus = bonuses[place]
        if isFirst {
          matched = FuzzyScore.match + Int32(bonus) * FuzzyScore.firstMultiplier
          // Keep an earlier, better start (fzf drops it here).
          run = matched < skipped ? 0 : 1
        } else {
          // `place` is after the first place of the previous letter, so `place - 1` is valid.
          matched = rows.scores[rows.above + place - 1] + FuzzyScore.match
          (matched, run) = continued(
            matched, run: rows.runs[rows.above + place - 1] + 1, bonus, bonuses, place, skipped)
        }
      }
      isInGap = matched < skipped
      left = max(matched, skipped, 0)
      rows.scores[rows.row + place] = left
      rows.runs[rows.row + place] = run
      if left > best.score { best = (left, place) }
    }
    return best
  }

  /// The score of a match that may continue a run of adjacent matches, and the length of the run.
  private static func continued(
    _ score: Int32, run: Int32, _ bonus: UInt8, _ bonuses: UnsafeBufferPointer<UInt8>,
    _ place: Int, _ skipped: Int32
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
    _ term: ContiguousArray<UInt16>, _ text: UnsafeBufferPointer<UInt16>
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
      let score = scores[row + place]
      let diagonal =
        letter > 0 && place >= firsts[letter] ? scores[row - width + place - 1] : 0
      let left = place > firsts[letter] ? scores[row + place - 1] : 0
      if score > diagonal, score > left || score == left && prefersMatch {
        places.append(place)
        if letter == 0 { break }
        letter -= 1
      }
      let next = row + width + place + 1
      prefersMatch = runs[row + place] > 1 || next < count * width && runs[next] > 0
      place -= 1
    }
    return places.reversed()
  }
}
