import Testing

@testable import TerminalKit

struct TerminalCapabilitiesTests {
  @Test(arguments: ["linux", "linux-16color", "vt100", "vt220", "vt52", "ansi", "cons25", "dumb"])
  func `a console and a terminal of hardware have few signs`(_ type: String) {
    #expect(TerminalCapabilities.isLimited(type: type))
  }

  @Test(arguments: [
    "", "xterm", "xterm-256color", "screen", "tmux-256color", "vte-256color", "vte", "foot",
    "xterm-vt220", "alacritty",
  ])
  func `a terminal of software has all signs`(_ type: String) {
    #expect(!TerminalCapabilities.isLimited(type: type))
  }

  @Test(arguments: [
    (["LANG": "en_US.UTF-8"], true), (["LANG": "C.utf8"], true), ([:], true),
    (["LANG": "", "LC_ALL": ""], true), (["LANG": "C"], false), (["LANG": "de_DE@euro"], false),
    (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false),
    (["LC_ALL": "C.UTF-8", "LANG": "C"], true),
    (["LC_CTYPE": "en_US.ISO-8859-1", "LANG": "en_US.UTF-8"], false),
    (["LC_CTYPE": "sr_RS.UTF-8@latin"], true),
  ])
  func `the locale's characters decide, and without a locale they are Unicode`(
    _ environment: [String: String], _ isUnicode: Bool
  ) {
    #expect(TerminalCapabilities.isUnicode(environment) == isUnicode)
  }
}

struct DirectColorsTests {
  @Test(
    arguments: [
      ("xterm-256color", [], ["COLORTERM": "truecolor"], true),
      ("tmux-256color", [], ["COLORTERM": "24bit", "TMUX": "/tmp/tmux"], true),
      ("xterm-256color", ["RGB"], [:], true),
      ("tmux-256color", ["Tc"], [:], true),
      ("xterm-256color", [], [:], false),
      ("xterm-256color", [], ["COLORTERM": "yes"], false),
      ("screen-256color", [], ["COLORTERM": "truecolor", "STY": "1.pts"], false),
      ("linux", [], ["COLORTERM": "truecolor"], false),
    ] as [(String, [String], [String: String], Bool)])
  func `a terminal has 24-bit colours where it or its description says so`(
    type: String, extensions: [String], environment: [String: String], has: Bool
  ) {
    #expect(
      TerminalCapabilities.hasDirectColors(
        type: type, extensions: extensions, environment: environment) == has)
  }
}
