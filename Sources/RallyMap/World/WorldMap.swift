import Synchronization

/// The world data compiled into the program: lines, countries, cities.
///
/// Thread-safe. Each part is decoded once, on first use (a level takes under a millisecond); the
/// packed bytes stay in the executable's mapping. Memory kept after use: levels as listed at
/// `DetailLevel`. Cities take about 350 kB, plus 70 kB for nearest-city search and 10 kB for their
/// other names. Hit-test rings take about 50 kB plus the finest level.
public final class WorldMap: Sendable {
  /// The compiled-in world.
  public static let shared = WorldMap(bytes: WorldBytes())

  private let bytes: WorldBytes
  private let container = LazyDecoded<WorldContainer>()
  private let levels = DetailLevel.allCases.map { _ in LazyDecoded<WorldLevel>() }
  private let decodedCountries = LazyDecoded<[Country]>()
  private let decodedCities = LazyDecoded<WorldCities>()
  private let decodedGrid = LazyDecoded<CityGrid>()
  private let decodedNames = LazyDecoded<WorldNames>()
  private let decodedHitTest = LazyDecoded<CountryHitTest>()

  init(bytes: WorldBytes) { self.bytes = bytes }

  /// A world from other bytes, which are copied.
  public convenience init(bytes: [UInt8]) { self.init(bytes: WorldBytes(copying: bytes)) }

  /// All lines at one level of detail.
  ///
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func level(_ detail: DetailLevel) throws(WorldMapError) -> WorldLevel {
    try levels[Int(detail.rawValue)].value { () throws(WorldMapError) in
      try opened().read(detail.section) { reader throws(WorldMapError) in
        try WorldLevel(&reader)
      }
    }
  }

  /// All countries and territories; `City.country` and hit tests return elements of this list.
  ///
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func countries() throws(WorldMapError) -> [Country] {
    try decodedCountries.value { () throws(WorldMapError) in
      try opened().read(.countries) { reader throws(WorldMapError) in
        try Country.readAll(&reader)
      }
    }
  }

  /// All cities, sorted by decreasing population.
  ///
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func cities() throws(WorldMapError) -> WorldCities {
    try decodedCities.value { () throws(WorldMapError) in
      let container = try opened()
      let zones = try container.read(.timeZones) { reader throws(WorldMapError) in
        try WorldCities.readTimeZones(&reader)
      }
      let countries = try self.countries()
      var records = try container.read(.cities) { reader throws(WorldMapError) in
        try CityRecord.readAll(&reader, countries: countries.count, zones: zones.count)
      }
      let states = try container.read(.states) { reader throws(WorldMapError) in
        try WorldState.readAll(&reader, countries: countries.count, into: &records)
      }
      return WorldCities(
        records: records, countries: countries, timeZones: zones, states: states,
        container: container)
    }
  }

  func cityGrid() throws(WorldMapError) -> CityGrid {
    try decodedGrid.value { () throws(WorldMapError) in CityGrid(try cities()) }
  }

  func otherNames() throws(WorldMapError) -> WorldNames {
    try decodedNames.value { () throws(WorldMapError) in
      let count = try cities().count
      return try opened().read(.names) { reader throws(WorldMapError) in
        try WorldNames(&reader, cities: count)
      }
    }
  }

  /// Hit tests always use the finest level, whichever level is drawn.
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

/// A lazily decoded part of the blob. Thread-safe; decoded once, and a failure is cached too.
final class LazyDecoded<Value: Sendable>: Sendable {
  private let state = Mutex<Result<Value, WorldMapError>?>(nil)

  func value(_ decode: () throws(WorldMapError) -> Value) throws(WorldMapError) -> Value {
    let result = state.withLock { state in
      if let state { return state }
      let fresh = Result(catching: decode)
      state = fresh
      return fresh
    }
    return try result.get()
  }
}
