/// Finds where the keys and values of a TOML text stand, since the parser does not tell.
///
/// It reads only as much of the grammar as that takes; what it does not understand, the parser has
/// refused before.
struct ConfigurationPlaces {
  private var places: [[String]: ConfigurationPlace] = [:]
  /// What the parser would not survive: it takes some things for granted that it does not look at.
  let blunder: ConfigurationBlunder?

  init(_ text: String) {
    var scanner = TOMLPlaceScanner(text)
    scanner.scan()
    places = scanner.places
    blunder = scanner.blunder
  }

  /// The place of a key, or of the innermost table around it that has one.
  func place(of path: [String]) -> ConfigurationPlace? {
    var path = path
    while !path.isEmpty {
      if let place = places[path] { return place }
      path.removeLast()
    }
    return nil
  }

  /// The place of a value of the list that stands at this path.
  func place(of index: Int, in path: [String]) -> ConfigurationPlace? {
    place(of: path + [Self.element(index)])
  }

  static func element(_ index: Int) -> String { "[\(index)]" }
}

/// Something that is no TOML, found before the parser meets it.
struct ConfigurationBlunder: Error, Hashable {
  var place: ConfigurationPlace
  /// Continues "Is not TOML:".
  var sentence: String
}

private struct TOMLPlaceScanner {
  private(set) var places: [[String]: ConfigurationPlace] = [:]
  private(set) var blunder: ConfigurationBlunder?
  /// Lists within lists; the parser refuses more than 256.
  private var depth = 0
  /// Also of the names in a path: the parser takes any number of them, and what goes down the tables
  /// that they make, or lets go of them, needs more stack than there is.
  private static let depthLimit = 256
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var line = 1
  private var lineStart = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }
  private var place: ConfigurationPlace {
    ConfigurationPlace(line: line, column: index - lineStart + 1)
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

  /// The first mention of a path counts.
  private mutating func note(_ path: [String], _ place: ConfigurationPlace) {
    if places[path] == nil { places[path] = place }
  }

  /// The characters that the parser takes for granted after the bracket of a table.
  private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      || ["-", "_", "\"", "'"].contains(scalar)
  }

  /// What cannot begin a value, and is not looked at by the parser in a list.
  private static func endsValue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "}" || !scalar.isASCII && scalar.properties.isWhitespace
  }

  /// Reads no further: the parser will not come further either.
  private mutating func stop(_ sentence: String) {
    if blunder == nil { blunder = ConfigurationBlunder(place: place, sentence: sentence) }
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

  /// Reads `key.key = value`; false where there is none.
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
    // The parser says so itself.
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
        let element = path + [ConfigurationPlaces.element(count)]
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

  /// Goes behind a text in quotes of any of the four kinds.
  private mutating func skipText() {
    guard let quote = next else { return }
    let isTriple = sees(String(repeating: Character(quote), count: 3))
    let end = String(repeating: Character(quote), count: isTriple ? 3 : 1)
    for _ in 0..<end.count { advance() }
    while let scalar = next {
      if sees(end) {
        for _ in 0..<end.count { advance() }
        // A text of three quotes may end with up to two more.
        if isTriple { skip { $0 == quote } }
        return
      }
      if scalar == "\n", !isTriple { return }
      if scalar == "\\", quote == "\"" { advance() }
      advance()
    }
  }
}
