import Testing

@testable import RallyTOML

struct TOMLDocumentTests {
  private static let text = #"""
    # a comment with [brackets] and = signs
    top = "x" # [no.section]

    [ policy ]
      thermal = "a # b = c"
    'quoted key' . inner = 1
    long = """
    fake = 1
    \""" still = 2
    """
    raw = '''
    also = "not a key
    '''
    list = [ # first
      "one", 'two',
      [ "nested" ],
      { a.b = 1, c = [2] },
    ]
    table = { x = "}", y = [ "]" ], z = 3 }
    [[many]]
    last = 1979-05-27
    """#

  @Test(arguments: [
    (["top"], "2:1"), (["policy"], "4:3"), (["policy", "thermal"], "5:3"),
    (["policy", "quoted key"], "6:1"), (["policy", "quoted key", "inner"], "6:16"),
    (["policy", "long"], "7:1"), (["policy", "raw"], "11:1"), (["policy", "list"], "14:1"),
    (["policy", "list", "[0]"], "15:3"), (["policy", "list", "[1]"], "15:10"),
    (["policy", "list", "[2]"], "16:3"), (["policy", "list", "[2]", "[0]"], "16:5"),
    (["policy", "list", "[3]", "a", "b"], "17:7"),
    (["policy", "list", "[3]", "c", "[0]"], "17:19"),
    (["policy", "table", "x"], "19:11"), (["policy", "table", "y", "[0]"], "19:26"),
    (["policy", "table", "z"], "19:33"), (["many"], "20:3"), (["many", "[0]", "last"], "21:1"),
  ])
  func `keys and values are found in every way to write them`(path: [String], place: String) throws
  {
    let found = try #require(try TOMLDocument(Self.text).place(of: path))
    #expect("\(found.line):\(found.column)" == place)
  }

  @Test func `what is only text or comment is nowhere`() throws {
    let document = try TOMLDocument(Self.text)
    #expect(document.place(of: ["no", "section"]) == nil)
    #expect(document.place(of: ["policy", "fake"]) == nil)
    #expect(document.place(of: ["policy", "still"]) == nil)
  }

  @Test func `columns count characters of Unicode, and lines end as on Windows too`() throws {
    let document = try TOMLDocument("a = [\"漢字\", \"b\"]\r\nc = 1")
    #expect(try #require(document.place(of: ["a", TOMLDocument.element(1)])) == (1, 12))
    #expect(try #require(document.place(of: ["c"])) == (2, 1))
  }

  @Test func `a text without entries has none`() throws {
    for text in ["", "\n", "# nothing"] { #expect(try TOMLDocument(text).entries.isEmpty) }
  }

  @Test(arguments: [
    String(repeating: "a.", count: 100_000), "[" + String(repeating: "a.", count: 100_000) + "b]",
    "a = " + String(repeating: "[", count: 100_000), "\n" + String(repeating: "{a=", count: 3000),
  ])
  func `what is nested too deep for the stack is refused`(_ text: String) {
    #expect(throws: TOMLProblem.self) { try TOMLDocument(text) }
  }

  /// Half a file must end as well as a whole one.
  @Test func `every beginning of a file is read to its end`() {
    let scalars = Array(Self.text.unicodeScalars)
    for count in 0...scalars.count {
      _ = try? TOMLDocument(String(String.UnicodeScalarView(scalars.prefix(count))))
    }
    for garbage in ["=", "[", "]]]", "a = ]", "a = [}", "a = {]", "'", "\"\\", "a.b.", "= = =\n="] {
      #expect(throws: TOMLProblem.self) { try TOMLDocument(garbage) }
    }
  }
}
