import RallyWire
import Testing

@Suite struct UsernameTests {
  @Test(arguments: [
    ("ana", "ana"), ("Ana", "ana"), (" @ana_9.x ", "ana_9.x"),
    ("abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
  ])
  func `typed names are folded before the rules are checked`(typed: String, expected: String) throws
  {
    #expect(try Username(typed).value == expected)
  }

  @Test(arguments: [
    "", "an", "abcdefghijklmnopqrstuvwxy", "ana maria", "añа", "ana-1", "a\u{1b}[31m",
  ])
  func `a name outside the rules is refused with advice`(typed: String) {
    let problem = #expect(throws: FieldProblem.self) { try Username(typed) }
    #expect(problem?.field == .username)
    #expect(problem?.advice.hasPrefix("Use ") == true)
    #expect(problem?.advice.unicodeScalars.contains("\u{1b}") == false)
  }
}
