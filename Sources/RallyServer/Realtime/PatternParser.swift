import RallyWire

/// A set of characters: some ranges, or everything but them.
struct Characters: Hashable, Sendable {
  var ranges: [ClosedRange<Unicode.Scalar>]
  var isOpposite = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar) } != isOpposite
  }

  static let any = Characters(ranges: [], isOpposite: true)

  /// The class of `\d`, `\w` or `\s`, and of their opposites; nil for another letter.
  init?(letter: Unicode.Scalar) {
    switch letter {
    case "d", "D": ranges = ["0"..."9"]
    case "w", "W": ranges = ["0"..."9", "A"..."Z", "_"..."_", "a"..."z"]
    case "s", "S": ranges = [" "..." ", "\t"..."\r"]
    default: return nil
    }
    isOpposite = letter.properties.isUppercase
  }

  init(ranges: [ClosedRange<Unicode.Scalar>], isOpposite: Bool = false) {
    self.ranges = ranges
    self.isOpposite = isOpposite
  }
}

/// What a regular expression consists of.
indirect enum PatternNode: Hashable, Sendable {
  case characters(Characters)
  case start, end
  case sequence([PatternNode])
  case choice([PatternNode])
  /// - `most`: nil for any number.
  case repeated(PatternNode, least: Int, most: Int?)
}

/// Reads a regular expression.
struct PatternParser {
  private static let longest = 256
  private static let deepest = 20
  private static let mostTimes = 100

  private var rest: Substring.UnicodeScalarView
  private let isTooLong: Bool

  init(_ text: String) {
    rest = text[...].unicodeScalars
    isTooLong = text.unicodeScalars.count > PatternParser.longest
  }

  static func failure(_ problem: String) -> FunctionFailure {
    FunctionFailure(code: "2201B", message: "invalid regular expression: it \(problem)")
  }

  mutating func pattern() throws -> PatternNode {
    guard !isTooLong else { throw PatternParser.failure("is too long") }
    let node = try choice(depth: 0)
    guard rest.isEmpty else { throw PatternParser.failure("closes a group that is not open") }
    return node
  }

  private mutating func choice(depth: Int) throws -> PatternNode {
    guard depth <= PatternParser.deepest else { throw PatternParser.failure("is too deep") }
    var nodes = [try sequence(depth: depth)]
    while take("|") { nodes.append(try sequence(depth: depth)) }
    return nodes.count == 1 ? nodes[0] : .choice(nodes)
  }

  private mutating func sequence(depth: Int) throws -> PatternNode {
    var nodes: [PatternNode] = []
    while let next = rest.first, next != "|", next != ")" {
      nodes.append(try repeated(depth: depth))
    }
    return .sequence(nodes)
  }

  private mutating func repeated(depth: Int) throws -> PatternNode {
    let node = try atom(depth: depth)
    let times: (Int, Int?)
    switch rest.first {
    case "*": times = (0, nil)
    case "+": times = (1, nil)
    case "?": times = (0, 1)
    case "{":
      rest.removeFirst()
      return try repeated(node, try bounds())
    default: return node
    }
    rest.removeFirst()
    return try repeated(node, times)
  }

  private mutating func repeated(_ node: PatternNode, _ times: (Int, Int?)) throws -> PatternNode {
    if let next = rest.first, ["*", "+", "?", "{"].contains(next) {
      throw PatternParser.failure("repeats a repetition")
    }
    return .repeated(node, least: times.0, most: times.1)
  }

  /// The rest of `{m}`, `{m,}` or `{m,n}`.
  private mutating func bounds() throws -> (Int, Int?) {
    let least = try number()
    if take("}") { return (least, least) }
    guard take(",") else { throw PatternParser.failure("has bad bounds") }
    if take("}") { return (least, nil) }
    let most = try number()
    guard take("}"), most >= least else { throw PatternParser.failure("has bad bounds") }
    return (least, most)
  }

  private mutating func number() throws -> Int {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard let number = Int(String(digits)), number <= PatternParser.mostTimes else {
      throw PatternParser.failure("has bad bounds")
    }
    rest = rest[digits.endIndex...]
    return number
  }

  private mutating func atom(depth: Int) throws -> PatternNode {
    guard let scalar = rest.popFirst() else { throw PatternParser.failure("ends early") }
    switch scalar {
    case "^": return .start
    case "$": return .end
    case ".": return .characters(.any)
    case "[": return .characters(try bracket())
    case "(":
      _ = take("?:")
      if rest.first == "?" { throw PatternParser.failure("looks around, which is not offered") }
      let node = try choice(depth: depth + 1)
      guard take(")") else { throw PatternParser.failure("leaves a group open") }
      return node
    case "\\": return .characters(try escaped())
    case "*", "+", "?", "{": throw PatternParser.failure("repeats nothing")
    default: return .characters(Characters(ranges: [scalar...scalar]))
    }
  }

  private mutating func escaped() throws -> Characters {
    guard let scalar = rest.popFirst() else { throw PatternParser.failure("ends early") }
    if let known = Characters(letter: scalar) { return known }
    guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
      throw PatternParser.failure("has “\\\(scalar)”, which is not offered")
    }
    return Characters(ranges: [scalar...scalar])
  }

  /// The rest of `[…]`.
  private mutating func bracket() throws -> Characters {
    var set = Characters(ranges: [], isOpposite: take("^"))
    repeat {
      guard var first = rest.popFirst() else { throw PatternParser.failure("leaves a set open") }
      if first == "\\" {
        guard let next = rest.popFirst() else { throw PatternParser.failure("ends early") }
        if let known = Characters(letter: next) {
          guard !known.isOpposite else {
            throw PatternParser.failure("has “\\\(next)” within a set, which is not offered")
          }
          set.ranges += known.ranges
          continue
        }
        first = next
      }
      guard rest.first == "-", let last = rest.dropFirst().first, last != "]" else {
        set.ranges.append(first...first)
        continue
      }
      rest = rest.dropFirst(2)
      guard first <= last else { throw PatternParser.failure("has a range that goes back") }
      set.ranges.append(first...last)
    } while rest.first != "]"
    rest.removeFirst()
    return set
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.unicodeScalars) else { return false }
    rest = rest.dropFirst(word.unicodeScalars.count)
    return true
  }
}
