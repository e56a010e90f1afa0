/// The world that is compiled into the program: lines, countries, cities.
///
/// Nothing is decoded before it is asked for, and each part is decoded once (a level takes under a
/// millisecond). The packed bytes stay in the program's file. What is kept when it was used: levels
/// as `DetailLevel` says, cities about 350 kB and 70 kB more for the nearest one, the hit test's
/// rings about 50 kB besides the finest level.
public final class WorldMap: Sendable {
  /// The world of this program.
  public static let shared = WorldMap(bytes: WorldBytes())

  private let bytes: WorldBytes
  private let container = DecodedOnce<WorldContainer>()
  private let levels = DetailLevel.allCases.map { _ in DecodedOnce<WorldLevel>() }
  private let decodedCountries = DecodedOnce<[Country]>()
  private let decodedCities = DecodedOnce<WorldCities>()
  private let decodedGrid = DecodedOnce<CityGrid>()
  private let decodedHitTest = DecodedOnce<CountryHitTest>()

  init(bytes: WorldBytes) {
    self.bytes = bytes
  }

  /// A world from bytes of one's own, which are copied.
  public convenience init(bytes: [UInt8]) {
    self.init(bytes: WorldBytes(copying: bytes))
  }

  /// All lines in one level of detail.
  public func level(_ detail: DetailLevel) throws(WorldMapError) -> WorldLevel {
    try levels[Int(detail.rawValue)].value { () throws(WorldMapError) in
      try opened().read(detail.section) { reader throws(WorldMapError) in
        try WorldLevel(&reader)
      }
    }
  }

  /// All countries and territories; `City.country` and hit tests give elements of this list.
  public func countries() throws(WorldMapError) -> [Country] {
    try decodedCountries.value { () throws(WorldMapError) in
      try opened().read(.countries) { reader throws(WorldMapError) in
        try Country.readAll(&reader)
      }
    }
  }

  /// All cities, by population, the largest first.
  public func cities() throws(WorldMapError) -> WorldCities {
    try decodedCities.value { () throws(WorldMapError) in
      let container = try opened()
      let zones = try container.read(.timeZones) { reader throws(WorldMapError) in
        try WorldCities.readTimeZones(&reader)
      }
      let countries = try self.countries()
      let records = try container.read(.cities) { reader throws(WorldMapError) in
        try CityRecord.readAll(&reader, countries: countries.count, zones: zones.count)
      }
      return WorldCities(
        records: records, countries: countries, timeZones: zones, container: container)
    }
  }

  func cityGrid() throws(WorldMapError) -> CityGrid {
    try decodedGrid.value { () throws(WorldMapError) in CityGrid(try cities()) }
  }

  /// Hit tests over the finest level, whatever is drawn.
  func hitTest() throws(WorldMapError) -> CountryHitTest {
    try decodedHitTest.value { () throws(WorldMapError) in
      let level = try level(.finest)
      let count = try countries().count
      let rings = try opened().read(.rings) { reader throws(WorldMapError) in
        try WorldRings(&reader, level: level, countries: count)
      }
      return CountryHitTest(level: level, rings: rings)
    }
  }

  func opened() throws(WorldMapError) -> WorldContainer {
    try container.value { () throws(WorldMapError) in try WorldContainer(bytes) }
  }
}
