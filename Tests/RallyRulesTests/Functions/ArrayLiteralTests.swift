import RallyText
import RallyWire
import Testing

@testable import RallyRules

@Suite struct ArrayLiteralTests {
  @Test(
    arguments: [
      ("{}", []), ("{ }", []), ("{a}", ["a"]), ("{a, b c ,d}", ["a", "b c", "d"]),
      (#"{"a,b","c\"d\\e","{}",""}"#, ["a,b", #"c"d\e"#, "{}", ""]),
      (#"{NULL,null,"null"}"#, [nil, nil, "null"]),
    ] as [(String, [JSONValue])])
  func `elements are separated by commas, and quoted where they have to be`(
    text: String, elements: [JSONValue]
  ) {
    #expect(ArrayLiteral.elements(of: text) == elements)
  }

  @Test(arguments: ["", "{", "}", "a", "{a", "a}", "{a,}", "{,a}", "{a,,b}", #"{"a}"#, "{{a}}"])
  func `other text is none`(text: String) {
    #expect(ArrayLiteral.elements(of: text) == nil)
  }
}
