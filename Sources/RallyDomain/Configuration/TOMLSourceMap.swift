import RallySystem

/// Finds the positions of keys and values in a TOML text, since TOMLKit does not report them.
///
/// Reads only as much of the grammar as that takes; the TOML parser reports all other syntax
/// errors.
struct TOMLSourceMap {
  private var places: [[String]: SourcePosition] = [:]
  /// Input that would crash TOMLKit; nil if there is none.
  let syntaxError: TOMLSyntaxError?

  init(_ text: String) {
    var scanner = TOMLPlaceScanner(text)
    scanner.scan()
    places = scanner.places
    syntaxError = scanner.syntaxError
  }

  /// The position of this key or table itself.
  func exactPlace(of path: [String]) -> SourcePosition? { places[path] }

  /// The position of a key, or of the innermost enclosing table that has one.
  func place(of path: [String]) -> SourcePosition? {
    var path = path
    while !path.isEmpty {
      if let place = places[path] { return place }
      path.removeLast()
    }
    return nil
  }

  /// The position of an element of the list at this path.
  func place(of index: Int, in path: [String]) -> SourcePosition? {
    place(of: path + [Self.element(index)])
  }

  static func element(_ index: Int) -> String { "[\(index)]" }
}

/// A TOML syntax error that is found before the parser runs.
struct TOMLSyntaxError: ReportableError, Hashable {
  var place: SourcePosition
  /// Continues "Is not TOML:".
  var sentence: String
}

private struct TOMLPlaceScanner {
  private(set) var places: [[String]: SourcePosition] = [:]
  private(set) var syntaxError: TOMLSyntaxError?
  /// The nesting of lists; the parser refuses more than 256.
  private var depth = 0
  /// Also limits dotted keys: the parser accepts any number of parts, but traversing or releasing
  /// tables nested that deep overflows the stack.
  private static let depthLimit = 256
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var line = 1
  private var lineStart = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }
  private var place: SourcePosition {
    SourcePosition(line: line, column: index - lineStart + 1)
  }

  private mutating func advance() {
    if next == "\n" {
      line += 1
      lineStart = index + 1
    }
    index += 1
  }

  private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
    while let scalar = next, condition(scalar) { advance() }
  }

  private mutating func skipBlanks() { skip { $0 == " " || $0 == "\t" } }

  private mutating func skipLine() { skip { $0 != "\n" } }

  private mutating func skipLinesAndComments() {
    while let scalar = next {
      switch scalar {
      case " ", "\t", "\r", "\n": advance()
      case "#": skipLine()
      default: return
      }
    }
  }

  private func sees(_ text: String) -> Bool {
    let wanted = text.unicodeScalars
    return scalars[index...].prefix(wanted.count).elementsEqual(wanted)
  }

  /// Records the first occurrence of a path.
  private mutating func note(_ path: [String], _ place: SourcePosition) {
    if places[path] == nil { places[path] = place }
  }

  /// Characters that can start a table name; the parser does not check this.
  private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      || ["-", "_", "\"", "'"].contains(scalar)
  }

  /// Characters that cannot start a value; the parser does not check this in a list.
  private static func endsValue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "}" || !scalar.isASCII && scalar.properties.isWhitespace
  }

  /// Stops scanning with a syntax error.
  private mutating func stop(_ sentence: String) {
    if syntaxError == nil { syntaxError = TOMLSyntaxError(place: place, sentence: sentence) }
    index = scalars.count
  }

  mutating func scan() {
    var section: [String] = []
    while true {
      skipLinesAndComments()
      guard let scalar = next else { return }
      if scalar == "[" {
        advance()
        if next == "[" { advance() }
        skipBlanks()
        if next.map(Self.beginsName) != true {
          return stop("the name of a table is missing")
        }
        section = readPath(below: [])
        skipLine()
      } else if !readPair(below: section) {
        skipLine()
      }
    }
  }

  /// Reads `key.key = value`; returns false if there is none.
  private mutating func readPair(below path: [String]) -> Bool {
    let whole = readPath(below: path)
    guard whole.count > path.count else { return false }
    skipBlanks()
    guard next == "=" else { return false }
    advance()
    skipBlanks()
    readValue(at: whole)
    return true
  }

  private mutating func readPath(below path: [String]) -> [String] {
    var path = path
    while true {
      skipBlanks()
      let start = place
      guard let part = readName() else { return path }
      path.append(part)
      if path.count > Self.depthLimit {
        stop("there are more than \(Self.depthLimit) tables within each other")
        return path
      }
      note(path, start)
      skipBlanks()
      guard next == "." else { return path }
      advance()
    }
  }

  private mutating func readName() -> String? {
    guard let first = next else { return nil }
    let start = index
    if first == "\"" || first == "'" {
      skipText()
      guard index - start >= 2 else { return nil }
      return String(String.UnicodeScalarView(scalars[start + 1..<index - 1]))
    }
    skip { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_" }
    return index == start ? nil : String(String.UnicodeScalarView(scalars[start..<index]))
  }

  private mutating func readValue(at path: [String]) {
    depth += 1
    defer { depth -= 1 }
    // The parser reports this itself.
    guard depth <= Self.depthLimit else {
      index = scalars.count
      return
    }
    switch next {
    case "\"", "'": skipText()
    case "[":
      advance()
      var count = 0
      while true {
        skipLinesAndComments()
        guard let scalar = next else { return }
        if scalar == "," || scalar == "]" {
          advance()
          if scalar == "]" { return }
          continue
        }
        if Self.endsValue(scalar) { return stop("a list has no value here") }
        let element = path + [TOMLSourceMap.element(count)]
        note(element, place)
        readValue(at: element)
        count += 1
      }
    case "{":
      advance()
      while true {
        skipLinesAndComments()
        guard let scalar = next else { return }
        if scalar == "," || scalar == "}" {
          advance()
          if scalar == "}" { return }
        } else if !readPair(below: path) {
          return skipLine()
        }
      }
    default:
      let start = index
      skip { !",]}#\n".unicodeScalars.contains($0) }
      if index == start { advance() }
    }
  }

  /// Skips a string of any of the four kinds.
  private mutating func skipText() {
    guard let quote = next else { return }
    let isTriple = sees(String(repeating: Character(quote), count: 3))
    let end = String(repeating: Character(quote), count: isTriple ? 3 : 1)
    for _ in 0..<end.count { advance() }
    while let scalar = next {
      if sees(end) {
        for _ in 0..<end.count { advance() }
        // A multi-line string may end with up to two more quotes.
        if isTriple { skip { $0 == quote } }
        return
      }
      if scalar == "\n", !isTriple { return }
      if scalar == "\\", quote == "\"" { advance() }
      advance()
    }
  }
}
