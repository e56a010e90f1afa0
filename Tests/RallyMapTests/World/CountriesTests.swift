import Testing

@testable import RallyMap

struct CountriesTests {
  private let world = WorldMap.shared

  @Test func `there are all countries, and territories with a code`() throws {
    let countries = try world.countries()
    #expect(countries.count >= 240)
    #expect(countries.map(\.id) == Array(countries.indices))
    #expect(Set(countries.map(\.name)).count == countries.count)
    let codes = countries.compactMap(\.isoCode)
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { $0.count == 2 && $0 == $0.uppercased() })
    for code in ["FR", "NO", "GF", "SJ", "TV", "XK", "TW", "SS", "TL"] {
      #expect(codes.contains(code), "\(code)")
    }
  }

  @Test func `countries have the names of today`() throws {
    let names = Set(try world.countries().map(\.name))
    for name in ["Eswatini", "North Macedonia", "Czechia", "Türkiye", "Cabo Verde", "Laos"] {
      #expect(names.contains(name), "\(name)")
    }
    for name in ["Swaziland", "Macedonia", "Czech Republic", "Turkey", "Russian Federation"] {
      #expect(!names.contains(name), "\(name)")
    }
  }

  @Test func `a name stands in its country, but where lakes or islands leave no room`() throws {
    for country in try world.countries() {
      guard let label = country.label, label.width > 20, label.height > 20 else { continue }
      let found = try world.country(at: label.worldPoint.geoPoint)
      #expect(found == country, "\(country.name)")
    }
  }

  @Test func `large countries rank before small ones`() throws {
    let ranks = Dictionary(uniqueKeysWithValues: try world.countries().map { ($0.name, $0.rank) })
    let names = ["Russia", "China", "France", "Belgium", "Luxembourg", "Monaco"]
    let inOrder = try names.map { try #require(ranks[$0]) }
    #expect(inOrder == inOrder.sorted())
    #expect(inOrder.first == 0)
  }

  @Test func `areas of disputed status are marked, and have a name of their own`() throws {
    let disputed = Set(try world.countries().filter(\.isDisputed).map(\.name))
    for name in [
      "Crimea", "Kosovo", "Northern Cyprus", "Palestine", "Somaliland", "Western Sahara",
    ] {
      #expect(disputed.contains(name), "\(name)")
    }
    #expect(disputed.isDisjoint(with: ["France", "Japan", "Brazil", "Canada"]))
  }

  @Test func `cities in areas without an agreed owner belong to the area`() throws {
    for (city, area) in [
      ("Simferopol", "Crimea"), ("Smara", "Western Sahara"), ("Hargeysa", "Somaliland"),
    ] {
      #expect(try world.cities(matching: city).first?.country.name == area)
    }
  }
}
