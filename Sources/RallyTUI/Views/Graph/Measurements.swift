/// What a node answered when it was asked for its size, since the whole tree was laid out last.
struct Measurements {
  struct Answer {
    let proposal: Size
    let size: Size
  }

  private var answers: [Answer] = []
  /// What was answered before the content changed; those around were laid out by it.
  private var outdated: [Answer] = []
  private var pass = -1

  mutating func size(for proposal: Size, in pass: Int) -> Size? {
    if pass != self.pass {
      self.pass = pass
      answers.removeAll(keepingCapacity: true)
      outdated.removeAll()
    }
    // A stack asks three times: linear search beats hashing.
    return answers.first { $0.proposal == proposal }?.size
  }

  mutating func add(_ size: Size, for proposal: Size) {
    answers.append(Answer(proposal: proposal, size: size))
  }

  /// The content changed: nothing is known any more, but what was said before is kept to compare.
  mutating func outdate() {
    if outdated.isEmpty { outdated = answers }
    answers.removeAll(keepingCapacity: true)
  }

  /// The one around has placed this by what was answered now.
  mutating func settle() { outdated = [] }

  /// What was answered in this layout before the content changed, once.
  mutating func takeOutdated(in pass: Int) -> [Answer] {
    defer { outdated = [] }
    return pass == self.pass ? outdated : []
  }
}
