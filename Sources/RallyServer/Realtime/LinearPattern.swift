/// A regular expression in the part of PostgreSQL's syntax that can be matched in linear time:
/// literals, `.`, `[a-z]`, `[^…]`, `\d \w \s` and their opposites, `* + ?`, `{m,n}`, `|`, groups, `^`, `$`.
///
/// Uses Thompson's construction, without backtracking. Back references and look-around are not
/// supported.
struct LinearPattern: Hashable, Sendable {
  /// Steps of the compiled pattern.
  private static let longest = 300
  /// Maximum parts visited while compiling: repeating an empty group adds no step.
  private static let mostVisits = 5000

  private enum Step: Hashable, Sendable {
    case one(Characters)
    /// Continues at both positions.
    case split(Int, Int)
    case jump(Int)
    case start, end
    case match
  }

  private let steps: [Step]
  private let ignoresCase: Bool

  /// - Throws: `2201B`, as PostgreSQL, for a pattern that is invalid, too long, or not supported.
  init(_ text: String, ignoresCase: Bool) throws {
    var parser = PatternParser(ignoresCase ? text.lowercased() : text)
    var steps: [Step] = []
    var visits = 0
    try LinearPattern.compile(try parser.pattern(), to: &steps, visits: &visits)
    steps.append(.match)
    self.steps = steps
    self.ignoresCase = ignoresCase
  }

  /// Whether the pattern occurs anywhere in the text.
  func matches(_ text: String) -> Bool {
    let scalars = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    var places = Places(count: steps.count)
    for position in 0...scalars.count {
      // A match may begin at every character.
      let atEnd = position == scalars.count
      add(0, to: &places, atStart: position == 0, atEnd: atEnd)
      if places.hasMatched { return true }
      guard !atEnd else { return false }
      var next = Places(count: steps.count)
      for place in places.list {
        guard case .one(let characters) = steps[place], characters.contains(scalars[position])
        else { continue }
        add(place + 1, to: &next, atStart: false, atEnd: position + 1 == scalars.count)
      }
      if next.hasMatched { return true }
      places = next
    }
    return false
  }

  private struct Places {
    var list: [Int] = []
    var isKnown: [Bool]
    var hasMatched = false

    init(count: Int) { isKnown = Array(repeating: false, count: count) }
  }

  private func add(_ place: Int, to places: inout Places, atStart: Bool, atEnd: Bool) {
    var open = [place]
    while let place = open.popLast() {
      guard !places.isKnown[place] else { continue }
      places.isKnown[place] = true
      switch steps[place] {
      case .one: places.list.append(place)
      case .split(let a, let b): open += [a, b]
      case .jump(let target): open.append(target)
      case .start: if atStart { open.append(place + 1) }
      case .end: if atEnd { open.append(place + 1) }
      case .match: places.hasMatched = true
      }
    }
  }

  // MARK: - Compiling

  private static func compile(
    _ node: PatternNode, to steps: inout [Step], visits: inout Int
  ) throws {
    visits += 1
    guard steps.count < longest, visits < mostVisits else {
      throw PatternParser.failure("is too long")
    }
    switch node {
    case .characters(let characters): steps.append(.one(characters))
    case .start: steps.append(.start)
    case .end: steps.append(.end)
    case .sequence(let nodes): for node in nodes { try compile(node, to: &steps, visits: &visits) }
    case .choice(let nodes):
      var exits: [Int] = []
      for node in nodes.dropLast() {
        let split = steps.count
        steps.append(.jump(0))
        try compile(node, to: &steps, visits: &visits)
        exits.append(steps.count)
        steps.append(.jump(0))
        steps[split] = .split(split + 1, steps.count)
      }
      if let last = nodes.last { try compile(last, to: &steps, visits: &visits) }
      for exit in exits { steps[exit] = .jump(steps.count) }
    case .repeated(let node, let least, let most):
      for _ in 0..<least { try compile(node, to: &steps, visits: &visits) }
      guard let most else {
        let split = steps.count
        steps.append(.jump(0))
        try compile(node, to: &steps, visits: &visits)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
        return
      }
      var splits: [Int] = []
      for _ in least..<max(least, most) {
        splits.append(steps.count)
        steps.append(.jump(0))
        try compile(node, to: &steps, visits: &visits)
      }
      for split in splits { steps[split] = .split(split + 1, steps.count) }
    }
  }
}
