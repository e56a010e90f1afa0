/// Cache of a node's measured sizes since the last full layout.
struct Measurements {
  struct Answer {
    let proposal: Size
    let size: Size
  }

  private var answers: [Answer] = []
  /// Sizes from before the content changed, by which the surroundings were laid out.
  private var outdated: [Answer] = []
  private var pass = -1

  mutating func size(for proposal: Size, in pass: Int) -> Size? {
    if pass != self.pass {
      self.pass = pass
      answers.removeAll(keepingCapacity: true)
      outdated.removeAll()
    }
    // A stack measures three times: linear search beats hashing.
    return answers.first { $0.proposal == proposal }?.size
  }

  mutating func add(_ size: Size, for proposal: Size) {
    answers.append(Answer(proposal: proposal, size: size))
  }

  /// Invalidates the cache after a content change; keeps the former sizes for comparison.
  mutating func outdate() {
    if outdated.isEmpty { outdated = answers }
    answers.removeAll(keepingCapacity: true)
  }

  /// Called when the node has been placed by its current sizes.
  mutating func commit() { outdated = [] }

  /// Returns and clears the sizes from before the content change, if they belong to this layout
  /// pass.
  mutating func takeOutdated(in pass: Int) -> [Answer] {
    defer { outdated = [] }
    return pass == self.pass ? outdated : []
  }
}
