import Glibc

/// All cities, sorted by decreasing population. Subscripting allocates a `City`; to scan many, use
/// `population(at:)` and the other accessors (only `name(at:)` allocates).
public struct WorldCities: RandomAccessCollection, Sendable {
  let records: ContiguousArray<CityRecord>
  private let countries: [Country]
  private let timeZones: [String]
  let states: [WorldState]
  let container: WorldContainer

  init(
    records: ContiguousArray<CityRecord>, countries: [Country], timeZones: [String],
    states: [WorldState], container: WorldContainer
  ) {
    self.records = records
    self.countries = countries
    self.timeZones = timeZones
    self.states = states
    self.container = container
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { records.count }

  public subscript(index: Int) -> City {
    let record = records[index]
    return City(
      id: index, name: name(at: index), point: record.worldPoint.geoPoint,
      population: Int(record.population), country: countries[Int(record.country)],
      isCapital: record.isCapital, state: record.stateIndex.map { states[$0].name },
      isAmbiguous: record.isAmbiguous, timeZone: timeZones[Int(record.timeZone)])
  }

  func worldPoint(at index: Int) -> WorldPoint { records[index].worldPoint }
  public func population(at index: Int) -> Int { Int(records[index].population) }
  public func isCapital(at index: Int) -> Bool { records[index].isCapital }
  public func name(at index: Int) -> String { container.text(records[index].nameRange) }

  static func readTimeZones(_ reader: inout ByteReader) throws(WorldMapError) -> [String] {
    let count = try reader.count(bytesEach: 1)
    var zones: [String] = []
    zones.reserveCapacity(count)
    for _ in 0..<count { zones.append(try reader.text()) }
    return zones
  }
}

/// A city from GeoNames.
public struct City: Hashable, Sendable, Identifiable {
  /// Index in `WorldMap.cities()`, which is sorted by population.
  public let id: Int
  public let name: String
  /// Accurate to 2 m.
  public let point: GeoPoint
  public let population: Int
  public let country: Country
  public let isCapital: Bool
  /// Its state, province or part of the country: `Texas`, `Ontario`, `Victoria`, `Scotland`; nil
  /// outside of the United States, Canada, Australia and the United Kingdom.
  public let state: String?
  /// Whether another city of this name is as large, or at least a tenth of it; false outside of the
  /// countries with states.
  public let isAmbiguous: Bool
  /// An IANA time zone identifier: `Europe/Lisbon`.
  public let timeZone: String
}

/// A decoded city in 24 bytes; its names stay in the blob.
struct CityRecord: Sendable {
  /// Web Mercator coordinates in units of 1/2^24 of the world's width.
  let x: UInt32
  let y: UInt32
  let population: UInt32
  /// Offset of the name in the blob; the folded name follows it.
  let nameStart: UInt32
  let country: UInt16
  let timeZone: UInt16
  let nameLength: UInt8
  /// Byte length of the search text (folded and alternative names); 0 to search the name itself.
  let foldedLength: UInt8
  let isCapital: Bool
  /// As `WorldState` reads it.
  var state: UInt8 = 0

  private static let scale = 16_777_216.0

  var nameRange: Range<Int> { Int(nameStart)..<Int(nameStart) + Int(nameLength) }

  /// The bytes that a search compares. Lower case, except when it is the name itself.
  var searchedRange: Range<Int> {
    if foldedLength == 0 { return nameRange }
    let start = nameRange.upperBound + 1
    return start..<start + Int(foldedLength)
  }

  var worldPoint: WorldPoint { WorldPoint(x: Double(x) / Self.scale, y: Double(y) / Self.scale) }

  /// Decodes the city list: count and largest population. Then follow per city its coordinates, the
  /// decrease in population from the previous city, country, time zone (shifted by the capital
  /// bit), name and folded name. Texts are shorter than 128 bytes.
  static func readAll(
    _ reader: inout ByteReader, countries: Int, zones: Int
  ) throws(WorldMapError) -> ContiguousArray<CityRecord> {
    let count = try reader.count(bytesEach: 11)
    var population = try reader.varint()
    var records = ContiguousArray<CityRecord>()
    records.reserveCapacity(count)
    for _ in 0..<count {
      let (x, y) = (try reader.uint24(), try reader.uint24())
      population -= try reader.varint()
      let country = try reader.index(below: countries)
      let zone = try reader.index(below: zones * 2)
      let name = try reader.textRange()
      let folded = try reader.textRange()
      guard let exactPopulation = UInt32(exactly: population), name.count < 128,
        folded.count < 128, let country = UInt16(exactly: country),
        let zone = UInt16(exactly: zone)
      else { throw .impossibleValue(offset: reader.offset) }
      records.append(
        CityRecord(
          x: x, y: y, population: exactPopulation, nameStart: UInt32(name.lowerBound),
          country: country, timeZone: zone >> 1, nameLength: UInt8(name.count),
          foldedLength: UInt8(folded.count), isCapital: zone & 1 != 0))
    }
    return records
  }
}

/// Spatial index of cities in buckets of 4° × 4°, for proximity search. About 60 kB.
struct CityGrid: Sendable {
  static let degrees = 4.0
  private static let columns = 90
  private static let rows = 45

  /// For each bucket, in rows from the south, the index in `order` of its first city; then the end.
  private let starts: ContiguousArray<UInt32>
  private let order: ContiguousArray<UInt32>

  init(_ cities: WorldCities) {
    var fields = ContiguousArray<Int>()
    fields.reserveCapacity(cities.count)
    var starts = ContiguousArray<UInt32>(repeating: 0, count: Self.columns * Self.rows + 1)
    for record in cities.records {
      let point = record.worldPoint.geoPoint
      let field = Self.row(point.latitude) * Self.columns + Self.column(point.longitude)
      fields.append(field)
      starts[field + 1] += 1
    }
    for field in 1..<starts.count { starts[field] += starts[field - 1] }
    var next = starts
    var order = ContiguousArray<UInt32>(repeating: 0, count: cities.count)
    for (city, field) in fields.enumerated() {
      order[Int(next[field])] = UInt32(city)
      next[field] += 1
    }
    self.starts = starts
    self.order = order
  }

  private static func row(_ latitude: Double) -> Int {
    min(max(Int((latitude + 90) / degrees), 0), rows - 1)
  }

  /// Wraps longitudes.
  private static func column(_ longitude: Double) -> Int {
    let column = Int(((longitude + 180) / degrees).rounded(.down)) % columns
    return column < 0 ? column + columns : column
  }

  /// Calls `body` with the index of every city in the buckets that a circle intersects, so also
  /// with some outside of the circle.
  ///
  /// - Parameter metres: Radius of the circle along the sphere.
  func forEach(around point: GeoPoint, within metres: Double, _ body: (Int) -> Void) {
    let angle = min(metres / GeoPoint.earthRadius, .pi)
    let reach = angle * 180 / .pi
    let phi = point.latitude * .pi / 180
    // The circle's longitude extent; all longitudes if it contains a pole.
    let sine = sin(angle) / max(cos(phi), 1e-9)
    let holdsPole = abs(point.latitude) + reach >= 90
    let sideways = holdsPole || sine >= 1 ? 180 : asin(sine) * 180 / .pi
    let first = Int(((point.longitude - sideways + 180) / Self.degrees).rounded(.down))
    let last = Int(((point.longitude + sideways + 180) / Self.degrees).rounded(.down))
    for row in Self.row(point.latitude - reach)...Self.row(point.latitude + reach) {
      for column in first...min(last, first + Self.columns - 1) {
        let turned = (column % Self.columns + Self.columns) % Self.columns
        let field = row * Self.columns + turned
        for index in Int(starts[field])..<Int(starts[field + 1]) { body(Int(order[index])) }
      }
    }
  }
}
