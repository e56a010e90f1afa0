import RallyText

/// Other names of cities, found when they are typed whole. Each is stored as what differs from the
/// name before it, in the order of their bytes.
///
/// Kept are only the beginnings of blocks, about 10 kB: a name is looked for in one block of the
/// packed bytes.
struct WorldNames: Sendable {
  private struct Block {
    let first: [UInt8]
    /// Of the first name's entry.
    let offset: Int
    /// The name that the first entry is told by.
    let before: [UInt8]
  }

  private static let blockLength = 128

  private var blocks: [Block] = []
  private let end: Int
  private let cities: Int

  /// Reads all names once.
  ///
  /// - Throws: `WorldMapError` for damaged data.
  init(_ reader: inout ByteReader, cities: Int) throws(WorldMapError) {
    end = reader.offset + reader.remaining
    self.cities = cities
    var name: [UInt8] = []
    for index in 0..<(try reader.count(bytesEach: 3)) {
      let (offset, before) = (reader.offset, name)
      _ = try Self.next(&name, &reader, cities: cities)
      if index % Self.blockLength == 0 {
        blocks.append(Block(first: name, offset: offset, before: before))
      }
    }
  }

  /// The index of the city that a name leads to; nil if it is no other name.
  ///
  /// - Parameter wanted: As `TextFolding.foldedInAnyScript` writes it.
  /// - Throws: `WorldMapError` for damaged data.
  func city(called wanted: [UInt8], in bytes: WorldBytes) throws(WorldMapError) -> Int? {
    guard let block = blocks.last(where: { !wanted.lexicographicallyPrecedes($0.first) }) else {
      return nil
    }
    return try bytes.withBytes { raw throws(WorldMapError) -> Int? in
      var reader = ByteReader(raw, range: block.offset..<end)
      var name = block.before
      for _ in 0..<Self.blockLength where reader.remaining > 0 {
        let city = try Self.next(&name, &reader, cities: cities)
        if name == wanted { return city }
      }
      return nil
    }
  }

  /// Calls `body` with every name and the index of its city.
  static func forEach(
    _ reader: inout ByteReader, cities: Int, _ body: ([UInt8], Int) -> Void
  ) throws(WorldMapError) {
    var name: [UInt8] = []
    for _ in 0..<(try reader.count(bytesEach: 3)) {
      let city = try next(&name, &reader, cities: cities)
      body(name, city)
    }
  }

  /// Turns a name into the one after it.
  ///
  /// - Returns: The index of its city.
  private static func next(
    _ name: inout [UInt8], _ reader: inout ByteReader, cities: Int
  ) throws(WorldMapError) -> Int {
    let shared = Int(try reader.byte())
    guard shared <= name.count else { throw .impossibleValue(offset: reader.offset) }
    name.removeLast(name.count - shared)
    for _ in 0..<(try reader.count(bytesEach: 1)) { name.append(try reader.byte()) }
    guard name.count < 256 else { throw .impossibleValue(offset: reader.offset) }
    return try reader.index(below: cities)
  }
}

/// A state or province that people write behind a city's name.
struct WorldState: Sendable {
  /// `Texas`.
  let name: String
  let country: UInt16
  /// What a search compares: the folded name, and the abbreviation where there is one.
  let endings: [String]

  /// Decodes the states: count, then per state its country, name and abbreviation. Then a byte for
  /// each city of their countries, in the order of the cities.
  ///
  /// - Parameter cities: Each is given its state.
  /// - Returns: At most 127.
  static func readAll(
    _ reader: inout ByteReader, countries: Int, into cities: inout ContiguousArray<CityRecord>
  ) throws(WorldMapError) -> [WorldState] {
    var states: [WorldState] = []
    for _ in 0..<(try reader.count(bytesEach: 3)) {
      let country = try reader.index(below: countries)
      let name = try reader.text()
      let abbreviation = try reader.text()
      guard states.count < 127, let country = UInt16(exactly: country) else {
        throw .impossibleValue(offset: reader.offset)
      }
      states.append(
        WorldState(
          name: name, country: country,
          endings: [TextFolding.folded(name), abbreviation].filter { !$0.isEmpty }))
    }
    let owners = Set(states.map(\.country))
    for index in cities.indices where owners.contains(cities[index].country) {
      let byte = try reader.byte()
      guard byte >> 1 <= states.count else { throw .impossibleValue(offset: reader.offset) }
      cities[index].state = byte
    }
    return states
  }
}

extension CityRecord {
  /// The index of its state; nil where it has none.
  var stateIndex: Int? { state >> 1 == 0 ? nil : Int(state >> 1) - 1 }

  /// Whether its name alone may mean another city.
  var isAmbiguous: Bool { state & 1 != 0 }
}

/// Folds case, accents and punctuation, to compare a search text with names.
public enum TextFolding {
  /// Letters without a Unicode decomposition into base letter and accent.
  private static let letters: [Unicode.Scalar: String] = [
    "æ": "ae", "ð": "d", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "œ": "oe", "ß": "ss",
    "þ": "th", "ə": "e", "ŋ": "n",
  ]
  private static let apostrophes: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "`", "ʻ"]

  /// Lower case without accents: words of a-z and 0-9, separated by one space. Any other character
  /// separates words; apostrophes are dropped.
  ///
  /// The generator folds city names with the same rules (`Scripts/worldmap/cities.py`), so that a
  /// search only folds its own text; a test compares both implementations.
  static func folded(_ text: String) -> String { folded(text, keeping: isPlain) }

  /// The same for names in any script: their letters, vowel signs and digits are kept too.
  public static func foldedInAnyScript(_ text: String) -> String {
    folded(text) { isPlain($0) || !isMark($0) && isLetter($0) }
  }

  private static func folded(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
    var words = ""
    var isGap = false
    let bases = text.lowercased().unicodeScalars.map { $0.compatibilityBase ?? String($0) }
    for scalar in bases.joined().unicodeScalars {
      let piece = letters[scalar] ?? String(scalar)
      if piece.unicodeScalars.allSatisfy(isKept) {
        if isGap, !words.isEmpty { words += " " }
        isGap = false
        words += piece
      } else if !isMark(scalar), !apostrophes.contains(scalar) {
        isGap = true
      }
    }
    return words
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass != .notReordered
  }
}
