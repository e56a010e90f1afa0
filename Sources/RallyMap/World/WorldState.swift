/// A state or province that people write behind a city's name.
struct WorldState: Sendable {
  /// `Texas`.
  let name: String
  let country: UInt16
  /// What a search compares: the folded name, and the abbreviation where there is one.
  let endings: [String]

  /// Decodes the states: count, then per state its country, name and abbreviation; then a byte for
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
