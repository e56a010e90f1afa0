import Foundation
import Testing

@testable import RallyMap

struct WorldCitiesTests {
  private let world = WorldMap.shared

  @Test func `there are more than ten thousand cities, the largest first`() throws {
    let cities = try world.cities()
    #expect(cities.count >= 10_000)
    #expect(cities.first?.name == "Shanghai")
    for (city, next) in zip(cities, cities.dropFirst()) {
      #expect(city.population >= next.population)
    }
    #expect(cities.filter(\.isCapital).count >= 195)
  }

  @Test func `a city is what GeoNames says of it`() throws {
    let zurich = try #require(try world.cities(matching: "Zürich").first)
    #expect(zurich.name == "Zürich")
    #expect(zurich.country.isoCode == "CH")
    #expect(zurich.timeZone == "Europe/Zurich")
    #expect(zurich.population == 415_367)
    #expect(!zurich.isCapital)
    #expect(zurich.point.distance(to: GeoPoint(latitude: 47.36667, longitude: 8.55)) < 3)
  }

  @Test func `every time zone is known`() throws {
    for name in Set(try world.cities().map(\.timeZone)) {
      #expect(TimeZone(identifier: name) != nil, "\(name)")
    }
  }

  @Test func `every name folds here as the generator folded it`() throws {
    let cities = try world.cities()
    for (record, city) in zip(cities.records, cities) {
      let searched = cities.container.text(record.searchedRange).lowercased()
      // Other names may follow.
      #expect("\(searched) ".hasPrefix("\(TextFolding.folded(city.name)) "), "\(city.name)")
      #expect(TextFolding.folded(searched) == searched)
    }
  }

  @Test func `the nearest city is the one that a look at all of them finds`() throws {
    let cities = try world.cities()
    let points = cities.map(\.point)
    var numbers = Lehmer(seed: 5)
    for _ in 0..<300 {
      let place = numbers.point(latitudes: -90...90)
      let best = try #require(
        points.indices.min { place.distance(to: points[$0]) < place.distance(to: points[$1]) })
      let distance = place.distance(to: points[best])
      let found = try #require(try world.nearestCity(to: place, within: .infinity))
      #expect(abs(found.distance - distance) < 0.001)
      #expect(try world.nearestCity(to: place, within: distance + 1) != nil)
      #expect(try world.nearestCity(to: place, within: distance - 1) == nil)
    }
  }

  @Test func `the nearest city is found over the dateline and at the poles`() throws {
    let east = try world.nearestCity(
      to: GeoPoint(latitude: -16.8, longitude: -179.9), within: 300_000)
    #expect(east?.city.country.name == "Fiji")
    let pole = try world.nearestCity(to: GeoPoint(latitude: 90, longitude: 0), within: 3_000_000)
    #expect(pole?.city.name == "Longyearbyen")
  }

  @Test(arguments: [
    ("sao paulo", "São Paulo"), ("zurich", "Zürich"), ("SÃO  PAULO", "São Paulo"),
    ("lodz", "Łódź"), ("lisb", "Lisbon"), ("york", "York"), ("new york", "New York City"),
    ("saint peters", "Saint Petersburg"), ("istanbul", "Istanbul"), ("wroc", "Wrocław"),
    ("tromso", "Tromsø"), ("nice", "Nice"),
  ])
  func `a city is found without its accents`(_ typed: String, _ name: String) throws {
    #expect(try world.cities(matching: typed, limit: 1).map(\.name) == [name])
  }

  @Test(arguments: [
    ("cologne", "Köln"), ("munchen", "Munich"), ("saigon", "Ho Chi Minh City"), ("kiev", "Kyiv"),
    ("venezia", "Venice"), ("mecca", "Makkah"), ("washington dc", "Washington"),
  ])
  func `a city is found by other names, and shown by its own`(_ typed: String, _ name: String)
    throws
  {
    #expect(try world.cities(matching: typed, limit: 1).map(\.name) == [name])
  }

  @Test func `beginnings come first, then words, each by population, and nothing within a word`()
    throws
  {
    let names = try world.cities(matching: "york", limit: 10).map(\.name)
    let york = try #require(names.firstIndex(of: "York"))
    let newYork = try #require(names.firstIndex(of: "New York City"))
    #expect(york < newYork)
    let found = try world.cities(matching: "ana", limit: 10_000)
    let ranks = found.map { city in
      let words = TextFolding.folded(city.name)
      return words.hasPrefix("ana") ? 0 : words.contains(" ana") ? 1 : 2
    }
    #expect(ranks == ranks.sorted())
    #expect(Set(ranks) == [0, 1])
    for (rank, pair) in zip(zip(ranks, ranks.dropFirst()), zip(found, found.dropFirst()))
    where rank.0 == rank.1 {
      #expect(pair.0.population >= pair.1.population)
    }
  }

  @Test func `a part within a word is found where nothing begins so`() throws {
    #expect(try world.cities(matching: "Lisb").map(\.name) == ["Lisbon", "Lisburn"])
    let inner = Set(try world.cities(matching: "alisbur").map(\.name))
    #expect(inner == ["Salisbury"])
  }

  @Test func `a search that says nothing finds nothing`() throws {
    #expect(try world.cities(matching: "").isEmpty)
    #expect(try world.cities(matching: " .,").isEmpty)
    #expect(try world.cities(matching: "qqqqqqqq").isEmpty)
    #expect(try world.cities(matching: "東京").isEmpty)
    #expect(try world.cities(matching: "a", limit: 0).isEmpty)
    #expect(try world.cities(matching: "a", limit: -1).isEmpty)
    #expect(try world.cities(matching: "a", limit: 7).count == 7)
  }
}
