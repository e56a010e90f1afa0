import RallyWire
import Testing

@testable import RallyDomain

struct RadiusTextTests {
  @Test(arguments: [
    ("500 m", 500.0), ("2 km", 2000), ("250", 250), ("1.5km", 1500), (" 1,5 KM ", 1500),
    ("10", 10), ("100 km", 100_000),
  ])
  func `radii are read as people type them`(_ text: String, _ metres: Double) throws {
    #expect(try RadiusText.parse(text) == metres)
  }

  @Test(arguments: ["", "m", "far", "5 miles", "1.2.3", "9", "101 km", "-5", "nan", "inf"])
  func `what is none, or too small or large, is refused`(_ text: String) {
    #expect(throws: FieldProblem.self) { try RadiusText.parse(text) }
  }

  @Test func `the limits are said`() {
    let problem = #expect(throws: FieldProblem.self) { try RadiusText.parse("1 m") }
    #expect(problem?.advice == "Use a radius from 10 m to 100 km.")
  }

  @Test(arguments: [(500.0, "500 m"), (2000, "2 km"), (1500, "1.5 km"), (12.5, "12.5 m")])
  func `what is written is read as the same`(_ metres: Double, _ text: String) throws {
    #expect(RadiusText.text(metres) == text)
    #expect(try RadiusText.parse(text) == metres)
  }
}
