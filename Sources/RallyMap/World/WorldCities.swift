/// All cities, sorted by decreasing population. Subscripting allocates a `City`; to scan many, use
/// `population(at:)` and the other accessors (only `name(at:)` allocates).
public struct WorldCities: RandomAccessCollection, Sendable {
  let records: ContiguousArray<CityRecord>
  private let countries: [Country]
  private let timeZones: [String]
  let container: WorldContainer

  init(
    records: ContiguousArray<CityRecord>, countries: [Country], timeZones: [String],
    container: WorldContainer
  ) {
    self.records = records
    self.countries = countries
    self.timeZones = timeZones
    self.container = container
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { records.count }

  public subscript(index: Int) -> City {
    let record = records[index]
    return City(
      id: index, name: name(at: index), point: record.worldPoint.geoPoint,
      population: Int(record.population), country: countries[Int(record.country)],
      isCapital: record.isCapital, timeZone: timeZones[Int(record.timeZone)])
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
