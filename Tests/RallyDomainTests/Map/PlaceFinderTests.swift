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
}
