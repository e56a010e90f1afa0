import RallyText

extension WorldMap {
  /// The nearest city and its distance in metres; nil if none is within `metres`.
  ///
  /// - Parameter metres: Search radius. A non-finite value searches the whole earth.
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func nearestCity(
    to point: GeoPoint, within metres: Double = 50_000
  ) throws(WorldMapError) -> (city: City, distance: Double)? {
    let point = point.normalized
    let cities = try cities()
    let limit = metres.isFinite ? metres : .pi * GeoPoint.earthRadius
    guard limit >= 0, point.latitude.isFinite, point.longitude.isFinite else { return nil }
    var best: (index: Int, distance: Double)?
    // Most places have a city nearby: searching a small circle first avoids scanning all cities of
    // a large one.
    for radius in limit > 100_000 ? [100_000, limit] : [limit] where best == nil {
      try cityGrid().forEach(around: point, within: radius) { index in
        let distance = point.distance(to: cities.records[index].worldPoint.geoPoint)
        if distance <= radius, distance < best?.distance ?? .infinity { best = (index, distance) }
      }
    }
    return best.map { (cities[$0.index], $0.distance) }
  }

  /// The cities within a distance, the nearest first.
  ///
  /// - Parameter metres: Distance limit; 100 km unless given.
  /// - Throws: `WorldMapError` if the world's data is damaged.
  func nearestCities(
    to point: GeoPoint, within metres: Double = 100_000
  ) throws(WorldMapError) -> [City] {
    let cities = try cities()
    var found: [(index: Int, distance: Double)] = []
    try cityGrid().forEach(around: point, within: metres) { index in
      let distance = point.distance(to: cities.records[index].worldPoint.geoPoint)
      if distance <= metres { found.append((index, distance)) }
    }
    found.sort { $0.distance == $1.distance ? $0.index < $1.index : $0.distance < $1.distance }
    return found.map { cities[$0.index] }
  }

  /// The cities that are called exactly this, ignoring case, accents and punctuation.
  ///
  /// The name is the one that the map shows, or one in a language of their country, in English or
  /// in another large language, or an abbreviation: `Roma`, `Åbo`, `Москва`, `LA`. Where
  /// `City.state` is known a city is also found with it: `Paris, Texas`, `boston ma`, `Inverness,
  /// Scotland`.
  ///
  /// - Returns: By decreasing population.
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func cities(called text: String) throws(WorldMapError) -> [City] {
    let wanted = Array(TextFolding.foldedInAnyScript(text).utf8)
    let plain = ContiguousArray(TextFolding.folded(text).utf8)
    let cities = try cities()
    guard !wanted.isEmpty else { return [] }
    var found: [Int] = []
    if plain.count == wanted.count {
      for (index, record) in cities.records.enumerated()
      where cities.match(record, plain) == .beginning
        && TextFolding.folded(cities.name(at: index)).utf8.elementsEqual(plain)
      { found.append(index) }
    }
    let other = try otherNames().city(called: wanted, in: cities.container.bytes)
    if let other, !found.contains(other) { found.append(other) }
    if found.isEmpty { return try self.cities(withStateIn: text) }
    return found.sorted().map { cities[$0] }
  }

  /// The cities whose name is followed by the name or the abbreviation of their state.
  private func cities(withStateIn text: String) throws(WorldMapError) -> [City] {
    let words = TextFolding.folded(text)
    var found: [City] = []
    for state in try cities().states {
      for ending in state.endings where words.hasSuffix(" " + ending) {
        let named = try cities(called: String(words.dropLast(ending.count + 1)))
        found += named.filter { $0.state == state.name && !found.contains($0) }
      }
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Cities whose name contains `text`, ignoring case, accents and punctuation: `sao paulo`,
  /// `zurich`.
  ///
  /// Names that start with the text come first, then those with a word that starts with it, each
  /// by decreasing population. Where there are neither, names that have it within a word follow. An
  /// empty text matches nothing.
  ///
  /// - Parameter limit: Maximum number of results.
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func cities(matching text: String, limit: Int = 20) throws(WorldMapError) -> [City] {
    let wanted = ContiguousArray(TextFolding.folded(text).utf8)
    let cities = try cities()
    guard !wanted.isEmpty, limit > 0 else { return [] }
    var beginning: [Int] = []
    var inWord: [Int] = []
    var elsewhere: [Int] = []
    for (index, record) in cities.records.enumerated() {
      switch cities.match(record, wanted) {
      case .beginning: beginning.append(index)
      case .word: inWord.append(index)
      case .elsewhere: elsewhere.append(index)
      case nil: continue
      }
      if beginning.count == limit { break }
    }
    let begun = beginning + inWord
    return (begun.isEmpty ? elsewhere : begun).prefix(limit).map { cities[$0] }
  }
}

/// Where a search text matches in a city's name, best match first.
enum CityMatch: Hashable, Sendable {
  case beginning
  case word
  case elsewhere
}

extension WorldCities {
  /// Searches the blob's bytes without allocating a string. `wanted` must be folded and not empty.
  func match(_ record: CityRecord, _ wanted: ContiguousArray<UInt8>) -> CityMatch? {
    let range = record.searchedRange
    guard range.count >= wanted.count else { return nil }
    return container.bytes.withBytes { bytes in
      var found: CityMatch?
      for start in range.lowerBound...range.upperBound - wanted.count {
        guard Self.matches(bytes, at: start, wanted) else { continue }
        if start == range.lowerBound { return .beginning }
        if bytes[start - 1] == UInt8(ascii: " ") { return .word }
        found = .elsewhere
      }
      return found
    }
  }

  private static func matches(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ wanted: ContiguousArray<UInt8>
  ) -> Bool {
    for (offset, byte) in wanted.enumerated() where lowered(bytes[start + offset]) != byte {
      return false
    }
    return true
  }

  /// Lowercases A–Z: plain ASCII names have no separate folded copy.
  private static func lowered(_ byte: UInt8) -> UInt8 { byte.isASCIIUppercase ? byte | 0x20 : byte }
}
