import RallyDomain
import RallyWire
import Testing

@Suite struct SharingTextTests {
  @Test func `a mode is typed in its own words, in plain ones, or as on the wire`() throws {
    for mode in SharingMode.allCases {
      #expect(try SharingMode(typed: mode.word) == mode)
      #expect(try SharingMode(typed: mode.rawValue) == mode)
    }
    #expect(try SharingMode(typed: " City ") == .approximate10km)
    #expect(try SharingMode(typed: "area") == .approximate1km)
    #expect(throws: FieldProblem.self) { try SharingMode(typed: "everything") }
  }

  @Test(arguments: [("45m", 2700), ("2h", 7200), ("1d", 86_400), (" 30D ", 30 * 86_400)])
  func `a time is minutes, hours or days`(text: String, seconds: Int) throws {
    #expect(try ShareTime.duration(typed: text) == .seconds(seconds))
  }

  @Test(arguments: ["", "h", "2", "0m", "-1h", "31d", "2w", "999999999999999999h", "1.5h"])
  func `what is no time is answered with what to type`(text: String) {
    #expect(throws: FieldProblem.self) { try ShareTime.duration(typed: text) }
  }
}
