import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@Suite struct PlaceFinderTests {
  private let finder = PlaceFinder(find: { name in
    name.lowercased() == "lisbon"
      ? [Place(name: "Lisbon", detail: "Portugal", coordinate: Samples.lisbon)] : []
  })

  @Test(arguments: ["38.7223,-9.1393", " 38.7223, -9.1393 ", "38.7223 -9.1393", "38.7223;-9.1393"])
  func `coordinates are understood with or without names`(text: String) throws {
    #expect(try finder.resolve(text) == Place(name: nil, coordinate: Samples.lisbon))
    #expect(try PlaceFinder.none.resolve(text).title == "38.7223, -9.1393")
  }

  @Test func `a name is looked up`() throws {
    #expect(try finder.resolve("Lisbon").title == "Lisbon, Portugal")
  }

  @Test(arguments: [
    ("", "Type a city"), ("Atlantis", "No place called Atlantis"), ("91,0", "Latitude is"),
    ("0,200", "Latitude is"), ("1,2,3", "No place"), ("nan,1", "Latitude is"),
    ("\u{1B}[2J", "No place called"),
  ])
  func `what names no place is answered with what to type`(text: String, advice: String) {
    let problem = #expect(throws: FieldProblem.self) { try finder.resolve(text) }
    #expect(problem?.advice.hasPrefix(advice) == true)
    #expect(problem?.advice.contains("\u{1B}") == false)
  }

  @Test(arguments: [
    ("Paris, Texas", "Paris, Texas", "Paris, Texas"), ("paris tx", "Paris, Texas", "Paris, Texas"),
    ("Paris", "Paris, France", "Paris"), ("Paris, fr", "Paris, France", "Paris"),
    ("Cambridge, UK", "Cambridge, England", "Cambridge, England"),
    ("Cambridge", "Cambridge, England", "Cambridge, England"),
    ("Boston, USA", "Boston, Massachusetts", "Boston, Massachusetts"),
    ("Boston", "Boston, United States", "Boston"), ("London", "London, United Kingdom", "London"),
  ])
  func `a city says its state where that was typed, or where its name may mean another`(
    typed: String, title: String, own: String
  ) throws {
    let place = try PlaceFinder.world.resolve(typed, completes: false)
    #expect(place.title == title)
    #expect(place.ownName == own)
    // What is said leads to the same place.
    #expect(
      try PlaceFinder.world.resolve(title, completes: false).coordinate == place.coordinate)
  }

  @Test func `the beginning of a name is no name where nobody sees what it became`() throws {
    let finder = PlaceFinder(find: { _ in
      [
        Place(name: "Roman", detail: "Romania", coordinate: Samples.lisbon),
        Place(name: "Romans", detail: "France", coordinate: Samples.porto),
      ]
    })
    #expect(try finder.resolve("Roma").name == "Roman")
    let problem = #expect(throws: FieldProblem.self) {
      try finder.resolve("Roma", completes: false)
    }
    #expect(
      problem?.advice == "No place called Roma is known.\nDid you mean Roman, Romania; "
        + "Romans, France? Type one of them, or its coordinates; --first takes the first.")
    for whole in ["Roman", " roman", "ROMAN, Romania"] {
      #expect(try finder.resolve(whole, completes: false).name == "Roman")
    }
    #expect(try finder.resolve("38.7,-9.1", completes: false).name == nil)
  }

  @Test func `a street of this name goes before a city that only begins so`() async throws {
    let street = Place(name: "Roma", detail: "Lisbon", coordinate: Samples.porto)
    let finder = PlaceFinder(
      find: { _ in [Place(name: "Roman", detail: "Romania", coordinate: Samples.lisbon)] },
      findElsewhere: { _ in [street] })
    #expect(try await finder.resolveAnywhere("Roma", completes: false) == street)
  }
}
