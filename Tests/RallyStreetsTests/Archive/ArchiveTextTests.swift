import Testing

@testable import RallyStreets

@Suite struct ArchiveTextTests {
  @Test(arguments: [
    (
      "<a href=\"https://www.openstreetmap.org/copyright\">&copy; OpenStreetMap contributors</a>",
      "© OpenStreetMap contributors"
    ),
    ("A &amp; B&#39;s &#xa9;", "A & B's ©"), ("a & b &unknown; c", "a & b &unknown; c"),
    ("<b>one</b><br>two", "one two"), ("one <unclosed", "one"),
    ("\u{1B}[31mred\u{202E}", "[31mred"), ("&#27;[31mred", "[31mred"),
  ])
  func `an attribution is its visible text`(html: String, plain: String) {
    #expect(ArchiveText.plain(html: html, limit: 200) == plain)
  }

  @Test func `a letter has eight marks at most`() {
    let line = ArchiveText.line("Ze" + String(repeating: "\u{301}", count: 20_000) + "a", limit: 80)
    #expect(line.unicodeScalars.count == 10)
    #expect(ArchiveText.line("n\u{303}o", limit: 80) == "n\u{303}o")
  }

  @Test func `a long name is cut`() {
    let line = ArchiveText.line(String(repeating: "ä ", count: 100_000), limit: 80)
    #expect(line.count == 80)
    #expect(line.hasSuffix("…"))
  }
}
