import RallyDomain
import RallyMap
import RallyWords
import Testing

struct GlyphSetTests {
  @Test(arguments: ["linux", "linux-16color", "vt100", "vt220", "vt52", "ansi", "cons25", "dumb"])
  func `a console and a terminal of hardware have few signs`(_ type: String) {
    #expect(GlyphSet(.auto, environment: ["TERM": type]) == .ascii)
  }

  @Test(arguments: [
    "", "xterm", "xterm-256color", "screen", "tmux-256color", "vte-256color", "vte", "foot",
    "xterm-vt220", "alacritty",
  ])
  func `a terminal of software has braille`(_ type: String) {
    #expect(GlyphSet(.auto, environment: ["TERM": type]) == .braille)
  }

  @Test(arguments: [
    (["LANG": "en_US.UTF-8"], true), (["LANG": "C.utf8"], true), ([:], true),
    (["LANG": "", "LC_ALL": ""], true), (["LANG": "C"], false), (["LANG": "de_DE@euro"], false),
    (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
    (["LC_ALL": "C.UTF-8", "LANG": "C"], true),
    (["LC_CTYPE": "en_US.ISO-8859-1", "LANG": "en_US.UTF-8"], false),
    (["LC_CTYPE": "sr_RS.UTF-8@latin"], true),
  ])
  func `without a locale of Unicode a map is ASCII`(
    _ environment: [String: String], _ isUnicode: Bool
  ) {
    #expect(
      GlyphSet(.auto, environment: environment.merging(["TERM": "xterm"]) { $1 })
        == (isUnicode ? .braille : .ascii))
  }

  @Test func `what the person wants counts on every terminal`() {
    let poor = ["TERM": "linux", "LANG": "C"]
    #expect(GlyphSet(.braille, environment: poor) == .braille)
    #expect(GlyphSet(.blocks, environment: poor) == .blocks)
    #expect(GlyphSet(.ascii, environment: ["TERM": "xterm"]) == .ascii)
  }
}
