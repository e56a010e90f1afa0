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
      problem?.advice == "No place called Roma is known. Names that begin so: Roman, Romania; "
        + "Romans, France. Type one of them, or its coordinates; --first takes the first.")
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
