import Foundation
import Testing

@testable import RallyMap

struct CountryHitTestTests {
  private let world = WorldMap.shared

  /// Capitals that the outlines of 1:50 million leave outside: how far it is to their country's
  /// outline, in metres rounded up. Mostly harbours and atolls; Jerusalem and Nicosia lie on a line,
  /// the Vatican is smaller than a unit.
  private static let capitalsOutside: [String: Double] = [
    "Apia": 500, "Banjul": 4_500, "Basse-Terre": 1_100, "Beirut": 1_600, "Bridgetown": 800,
    "Castries": 400, "Colombo": 1_000, "Copenhagen": 200, "Djibouti": 2_400,
    "Flying Fish Cove": 3_000, "Fort-de-France": 1_500,
    "Freetown": 200,
    "Jerusalem": 1_600, "Kingstown": 700, "Lisbon": 1_700, "Macau": 2_100, "Majuro": 1_800,
    "Mamoudzou": 2_000,
    "Manama": 900, "Marigot": 400, "Mogadishu": 1_700, "Monaco": 700, "Monrovia": 1_900,
    "Nouméa": 3_000, "Nicosia": 1_600, "Nuuk": 1_400, "San Juan": 1_500, "Stockholm": 900,
    "Suva": 1_400,
    "Tarawa": 4_200, "Vatican City": 1_300, "West Island": 800, "Yaren": 200,
  ]
  /// Their islands are too small for the source.
  private static let islandsLeftOut: Set = ["Adamstown", "Cockburn Town"]

  @Test func `every capital lies in its country, but for harbours that are listed`() throws {
    let outlines = try Outlines(world)
    var outside: Set<String> = []
    for city in try world.cities() where city.isCapital && city.country.label != nil {
      guard try world.country(at: city.point) != city.country else { continue }
      outside.insert(city.name)
      if Self.islandsLeftOut.contains(city.name) { continue }
      let allowed = try #require(Self.capitalsOutside[city.name], "\(city.name) lies outside")
      #expect(outlines.distance(of: city.country.id, from: city.point) <= allowed, "\(city.name)")
    }
    #expect(outside == Set(Self.capitalsOutside.keys).union(Self.islandsLeftOut))
  }

  @Test func `a capital outside of all outlines is found with a tolerance`() throws {
    let inOthers: Set = ["Gibraltar", "Jerusalem", "Marigot", "Nicosia", "Vatican City"]
    for city in try world.cities() where city.isCapital && !inOthers.contains(city.name) {
      let country = try world.country(at: city.point, within: 5_000)
      #expect(country == city.country, "\(city.name)")
    }
  }

  /// GeoNames' codes know nothing of Natural Earth's outlines.
  @Test
  func `of fourteen thousand cities all but a few on the very border lie where GeoNames says`()
    throws
  {
    let outlines = try Outlines(world)
    // Two on Africa's coast that the source does not have, and one that two countries claim.
    let exceptions: Set = ["Ceuta", "Kafia Kingi", "Melilla"]
    var strays = 0
    for city in try world.cities() where city.country.label != nil {
      guard try world.country(at: city.point, within: 3_000) != city.country else { continue }
      strays += 1
      if Self.islandsLeftOut.union(exceptions).contains(city.name) { continue }
      let distance = outlines.distance(of: city.country.id, from: city.point)
      #expect(distance < 12_000, "\(city.name), \(city.country.name)")
    }
    #expect(strays < 100)
  }

  @Test func `random places agree with the winding number of the outlines`() throws {
    let test = try world.hitTest()
    let outlines = try Outlines(world)
    var numbers = Lehmer(seed: 3)
    var onLand = 0
    for _ in 0..<4_000 {
      // Halves keep off the grid that vertices lie on.
      let x = Double(numbers.below(65_535)) + 0.5
      let y = Double(numbers.below(65_535)) + 0.5
      let expected = outlines.countries(x: x, y: y)
      let found = test.country(x: x, y: y)
      #expect(found == expected.first, "\(x) \(y)")
      #expect(expected.count <= 1)
      if found != nil { onLand += 1 }
    }
    #expect(onLand > 1_000)
  }

  @Test func `a ray that meets vertices counts them once`() throws {
    let test = try world.hitTest()
    var numbers = Lehmer(seed: 4)
    for _ in 0..<2_000 {
      // On a row of the grid, where vertices lie: the same country as a hair above or below.
      let x = Double(numbers.below(65_535)) + 0.5
      let y = Double(20_000 + numbers.below(20_000))
      let found = test.country(x: x, y: y)
      let above = test.country(x: x, y: y - 0.001)
      let below = test.country(x: x, y: y + 0.001)
      #expect(found == above || found == below, "\(x) \(y)")
    }
  }

  @Test func `every ring is closed`() throws {
    for ring in try Outlines(world).rings {
      let (first, last) = (try #require(ring.vertices.first), try #require(ring.vertices.last))
      #expect(first == last)
    }
  }

  @Test(arguments: [
    (46.95, 7.45, "Switzerland"), (66.5, -175, "Russia"), (66.5, 179, "Russia"),
    (-16.85, 179.99, "Fiji"), (-16.8, -179.95, "Fiji"), (-90, 0, "Antarctica"),
    (-89, 180, "Antarctica"), (-85, -180, "Antarctica"), (4.2, -53, "French Guiana"),
    (79, 16, "Svalbard and Jan Mayen"), (35.25, 33.6, "Northern Cyprus"),
    (45.2, 34.3, "Crimea"), (46.6, 33.5, "Ukraine"), (24, -14.5, "Western Sahara"),
    (26.5, -9.5, "Western Sahara"), (29, -9, "Morocco"), (-29.5, 28.3, "Lesotho"),
    (48, -88, "United States"), (-1, 33, "Uganda"), (-26.5, 31.5, "Eswatini"),
    (41.6, 21.7, "North Macedonia"), (39, 35, "Türkiye"), (49.8, 15.5, "Czechia"),
  ])
  func `a place is in its country`(_ latitude: Double, _ longitude: Double, _ name: String) throws {
    let country = try world.country(at: GeoPoint(latitude: latitude, longitude: longitude))
    #expect(country?.name == name)
  }

  @Test(arguments: [(0.0, -30.0), (42, 51), (90, 0), (35, 18), (-60, 180), (75, -10)])
  func `a place at sea is in no country`(_ latitude: Double, _ longitude: Double) throws {
    #expect(try world.country(at: GeoPoint(latitude: latitude, longitude: longitude)) == nil)
  }

  @Test func `a tolerance reaches over the dateline, but no farther than it says`() throws {
    // Off the east coast of Taveuni: land on the other side of the meridian is some kilometres
    // away.
    let atSea = GeoPoint(latitude: -16.2, longitude: 179.5)
    #expect(try world.country(at: atSea) == nil)
    #expect(try world.country(at: atSea, within: 60_000)?.name == "Fiji")
    let test = try world.hitTest()
    let russia = try #require(try world.countries().first { $0.name == "Russia" })
    // A ship half a unit east of the dateline's meridian, beside Wrangel's latitude, measured as if
    // it were west of it.
    let place = WorldPoint(GeoPoint(latitude: 71.2, longitude: -179.5))
    let (x, y) = (place.x * WorldUnits.span, place.y * WorldUnits.span)
    let here = test.nearestCountry(x: x, y: y, radius: 400)
    #expect(here == russia.id)
    #expect(test.nearestCountry(x: x + WorldUnits.span, y: y, radius: 400) == here)
    #expect(test.nearestCountry(x: x - WorldUnits.span, y: y, radius: 400) == here)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a place that is none is in no country`(_ number: Double) throws {
    let longitude = GeoPoint(latitude: 10, longitude: number)
    #expect(try world.country(at: longitude, within: 1_000) == nil)
    #expect(try world.nearestCity(to: longitude) == nil)
    let latitude = GeoPoint(latitude: .nan, longitude: 10)
    #expect(try world.country(at: latitude, within: 1_000) == nil)
    #expect(try world.nearestCity(to: latitude) == nil)
  }
}
