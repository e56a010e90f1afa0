import Foundation
import RallyText
import Testing

@Suite struct JSONReaderTests {
  private static func expected(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  private static func read(_ text: String) throws -> JSONValue {
    try JSONReader.value(of: text.utf8)
  }

  @Test(arguments: [
    "null", " true ", "false", "\"\"", "[]", "{}", "[ ]", "{ }", "0", "-0", "12", "-7", "1.0",
    "2.50",
    "1e3", "1E+2", "25e-1", "9223372036854775807", "-9223372036854775808", "1e18", "0.1",
    #"{"a":1,"a":2}"#, #"{"a":[{"b":null},[[]]],"c":"d"}"#, "\t[\r\n1 , 2 ]\n",
    #""\"\\\/\b\f\n\r\t""#, #""\u00e9\uD83D\uDE00x""#, "\"é😀\"", #"{"\u0061":1}"#,
  ])
  func `JSON is read as JSONDecoder reads it`(_ text: String) throws {
    #expect(try Self.read(text) == Self.expected(text))
  }

  @Test(arguments: [
    "", " ", "nul", "truex", "01", "1.", ".5", "-", "+1", "1e", "1e999", "NaN", "[1,]", "[1 2]",
    "[,]",
    "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[", "]", "{", "}", "\"", "\"a",
    "[1}",
    "\"\\x\"", "\"\\u12\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"a\nb\"", "1 2",
    "[]]",
    "'a'", "// a\n1", "\u{0}", "\"\\", "\"\\u",
  ])
  func `what is no JSON is refused`(_ text: String) {
    #expect(throws: JSONReader.Problem.self) { try JSONReader.value(of: text.utf8) }
    // Foundation passes over a comma at the end, which RFC 8259 does not allow.
    guard !text.hasSuffix(",]"), !text.hasSuffix(",}") else { return }
    #expect(throws: (any Error).self) { try Self.expected(text) }
  }

  @Test func `bytes that are no UTF-8 are refused, and a byte order mark is passed over`() throws {
    for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
      #expect(throws: JSONReader.Problem.self) { try JSONReader.value(of: [0x22] + bytes + [0x22]) }
    }
    #expect(try JSONReader.value(of: [0xEF, 0xBB, 0xBF] + Array("1".utf8)) == 1)
  }

  @Test(arguments: UInt64(0)..<200)
  func `damaged text is refused or read as before`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let whole =
      #"{"a":[1,-2.5e3,true,null,{"é\n":"\u00e9\ud83d\ude00"}],"b":{"c":[[],{}]}, "d": ""}"#
    var bytes = Array(whole.utf8)
    for _ in 0...Int.random(in: 0..<3, using: &random) {
      let place = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = .random(in: 0x20..<0x7F, using: &random)
      default:
        bytes.insert(Array("{}[],:\"\\0-.e".utf8).randomElement(using: &random) ?? 0, at: place)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect((try? [Self.read(text)]) == (try? [Self.expected(text)]), "\(text)")
  }

  @Test func `nesting and values are bounded`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try Self.read(nested(JSONReader.longestNesting))
    #expect(throws: JSONReader.Problem.tooDeep) {
      try JSONReader.value(of: nested(JSONReader.longestNesting + 1).utf8)
    }
    let four = #"[1,{"a":2}]"#
    #expect(try JSONReader.value(of: four.utf8, atMost: 4) == [1, ["a": 2]])
    #expect(throws: JSONReader.Problem.tooManyValues) {
      try JSONReader.value(of: four.utf8, atMost: 3)
    }
  }
}
