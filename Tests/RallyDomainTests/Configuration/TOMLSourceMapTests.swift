import Testing

@testable import RallyDomain

struct TOMLSourceMapTests {
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
    (["policy", "table", "z"], "19:33"), (["many"], "20:3"), (["many", "last"], "21:1"),
  ])
  func `keys and values are found in every way to write them`(path: [String], place: String) {
    #expect(TOMLSourceMap(Self.text).place(of: path)?.description == place)
  }

  @Test func `what is only text or comment is nowhere, and the table around it is`() {
    let places = TOMLSourceMap(Self.text)
    #expect(places.place(of: ["no", "section"]) == nil)
    #expect(places.place(of: ["policy", "fake"])?.description == "4:3")
    #expect(places.place(of: ["policy", "still"])?.description == "4:3")
  }

  @Test func `columns count characters of Unicode, and lines end as on Windows too`() {
    let places = TOMLSourceMap("a = [\"漢字\", \"b\"]\r\nc = 1")
    #expect(places.place(of: 1, in: ["a"])?.description == "1:12")
    #expect(places.place(of: ["c"])?.description == "2:1")
  }

  /// Half a file must end as well as a whole one: the scanner is let loose on every prefix.
  @Test func `every beginning of a file is read to its end`() {
    let scalars = Array(Self.text.unicodeScalars)
    for count in 0...scalars.count {
      _ = TOMLSourceMap(String(String.UnicodeScalarView(scalars.prefix(count))))
    }
    for garbage in ["=", "[", "]]]", "a = ]", "a = [}", "a = {]", "'", "\"\\", "a.b.", "= = =\n="] {
      _ = TOMLSourceMap(garbage)
    }
  }
}
