import Testing

@testable import RallyMap

@Suite struct WorldNamesTests {
  private let world = WorldMap.shared

  @Test(arguments: [
    ("Roma", "Rome", "IT"), ("Rom", "Rome", "IT"), ("Wien", "Vienna", "AT"), ("Åbo", "Turku", "FI"),
    ("abo", "Turku", "FI"), ("LA", "Los Angeles", "US"), ("L.A.", "Los Angeles", "US"),
    ("München", "Munich", "DE"), ("Praha", "Prague", "CZ"), ("Москва", "Moscow", "RU"),
    ("москва", "Moscow", "RU"), ("東京", "Tokyo", "JP"), ("北京", "Beijing", "CN"),
    ("서울", "Seoul", "KR"), ("Αθήνα", "Athens", "GR"), ("القاهرة", "Cairo", "EG"),
    ("Київ", "Kyiv", "UA"), ("Lisboa", "Lisbon", "PT"), ("NYC", "New York City", "US"),
    ("New York", "New York City", "US"), ("Paris", "Paris", "FR"), ("Paris, Texas", "Paris", "US"),
    ("paris tx", "Paris", "US"), ("London, Ontario", "London", "CA"), ("London", "London", "GB"),
    ("Boston, MA", "Boston", "US"), ("chicago illinois", "Chicago", "US"),
    ("LA, California", "Los Angeles", "US"), ("London, ON", "London", "CA"),
    ("Perth, WA", "Perth", "AU"), ("Inverness, Scotland", "Inverness", "GB"),
    ("New Delhi", "New Delhi", "IN"), ("Bethlehem", "Bethlehem", "ZA"),
    ("Valence", "Valence", "FR"),
  ])
  func `a city is found by the names that people write`(
    typed: String, name: String, country: String
  ) throws {
    let city = try #require(try world.cities(called: typed).first)
    #expect(city.name == name)
    #expect(city.country.isoCode == country)
  }

  @Test func `a city has its state, and says whether its name may mean another one`() throws {
    func city(_ text: String) throws -> City { try #require(try world.cities(called: text).first) }
    let texan = try city("Paris, Texas")
    #expect(texan.state == "Texas" && texan.isAmbiguous)
    #expect(abs(texan.point.latitude - 33.66) < 0.1 && abs(texan.point.longitude + 95.56) < 0.1)
    #expect(try city("Paris").state == nil)
    #expect(try city("Cambridge").isAmbiguous)
    let london = try city("London")
    #expect(london.state == "England" && !london.isAmbiguous, "the other one is small")
    let owners: Set = ["US", "CA", "AU", "GB"]
    for city in try world.cities() {
      #expect((city.state != nil) == owners.contains(city.country.isoCode ?? ""), "\(city.name)")
    }
  }

  @Test(arguments: [
    "", " ", "Lisb", "Roman Empire", "Мос", "York City", "🗼", "Boston, Texas", "Texas", "MA",
  ])
  func `a part of a name is no name`(typed: String) throws {
    #expect(try world.cities(called: typed).isEmpty)
  }

  @Test func `every other name folds here as the generator folded it`() throws {
    let count = try world.cities().count
    var names = 0
    try world.opened().read(.names) { reader throws(WorldMapError) in
      try WorldNames.forEach(&reader, cities: count) { name, _ in
        let text = String(decoding: name, as: UTF8.self)
        // The bytes, which are what is compared: equal texts can have different ones.
        #expect(TextFolding.foldedInAnyScript(text).utf8.elementsEqual(name))
        names += 1
      }
    }
    #expect(names > 20_000)
  }

  @Test func `a name is found in its block, at its edges too`() throws {
    let cities = try world.cities()
    var entries: [(name: [UInt8], city: Int)] = []
    try world.opened().read(.names) { reader throws(WorldMapError) in
      try WorldNames.forEach(&reader, cities: cities.count) { entries.append(($0, $1)) }
    }
    let names = try world.otherNames()
    for index in entries.indices where index % 97 == 0 || (index + 1) % 128 < 3 {
      let entry = entries[index]
      #expect(try names.city(called: entry.name, in: cities.container.bytes) == entry.city)
      #expect(try names.city(called: entry.name + [1], in: cities.container.bytes) == nil)
    }
    #expect(try names.city(called: [0], in: cities.container.bytes) == nil)
    #expect(try names.city(called: [0xFF], in: cities.container.bytes) == nil)
  }
}
