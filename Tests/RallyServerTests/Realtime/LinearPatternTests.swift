import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

@Suite struct LinearPatternTests {
  @Test(arguments: [
    ("a", "bab", true), ("^a", "ba", false), ("a$", "ab", false), ("^$", "", true),
    ("a|b", "xb", true), ("^(a|bc)+$", "abcbca", true), ("^(a|bc)+$", "abcb", false),
    ("a.c", "abc", true), ("^a*$", "aaa", true), ("^a+$", "", false), ("^ab?c$", "ac", true),
    ("^[a-c]{2,3}$", "abc", true), ("^[a-c]{2,3}$", "abca", false), ("^[^a-c]$", "d", true),
    ("^x{2}$", "xx", true), ("^x{2,}$", "xxxx", true), ("^x{0,1}$", "xx", false),
    (#"^\d+\.\d$"#, "12.3", true), (#"\s"#, "a b", true), (#"^\W$"#, "a", false),
    (#"[\d-]"#, "-", true), ("[]a]", "]", true), ("(?:ab)+", "xabab", true), ("é", "café", true),
    ("", "anything", true), ("()*", "", true),
  ])
  func `a pattern is found or not`(_ pattern: String, _ text: String, _ isFound: Bool) throws {
    #expect(try LinearPattern(pattern, ignoresCase: false).matches(text) == isFound)
  }

  @Test func `case can be ignored`() throws {
    #expect(try LinearPattern("^ANA", ignoresCase: true).matches("anna") == false)
    #expect(try LinearPattern("^AN+A", ignoresCase: true).matches("aNNa"))
  }

  @Test(arguments: [
    "(", ")", "[", "[a", "*", "a**", "a{", "a{2", "a{3,2}", "a{1000}", "[b-a]", #"\"#, #"\1"#,
    "(?=a)", "((a{100}){100}){100}", "((((((){100}){100}){100}){100}){100}){100}",
    String(repeating: "(", count: 100), String(repeating: "a", count: 257),
  ])
  func `what is wrong, too much or not offered is refused`(_ pattern: String) {
    #expect(throws: FunctionFailure.self) { try LinearPattern(pattern, ignoresCase: false) }
  }

  @Test func `patterns that send others back and forth take no time`() throws {
    let text = String(repeating: "a", count: 5000)
    for pattern in ["^(a*)*b", "^(a|a)*b", "(a+)+$b", "^(a?){50}a{50}b"] {
      #expect(try !LinearPattern(pattern, ignoresCase: false).matches(text))
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random patterns are read or refused`(seed: UInt64) {
    let pieces = [
      "a", "b", "(", ")", "[", "]", "*", "+", "?", "{2}", "{0,3}", "|", "^", "$", ".", "\\d",
      "\\", "-", "é", "(?:", "{",
    ]
    var random = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...10, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      guard let pattern = try? LinearPattern(text, ignoresCase: false) else { continue }
      read += 1
      _ = pattern.matches("abbaé1-(")
    }
    #expect(read > 300)
  }
}
