import FoundationEssentials
import RallyDomain
import RallyTestSupport
import Testing

@testable import RallyWords

@Suite struct NotificationRouteTests {
  private let message = Announcement(level: .message, text: "@bob asks; to be your friend.")

  private func bytes(_ way: NotificationWay, _ environment: [String: String] = [:]) -> String {
    NotificationRoute(way, type: "xterm-256color", environment: environment).bytes(for: message)
  }

  @Test(arguments: [
    (["TERM": "xterm-kitty"], NotificationWay.osc99),
    (["TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "tmux"], .osc99),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .osc9),
    (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .osc9),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .osc777),
    (["TERM": "xterm-ghostty"], .osc777),
    (["TERM": "xterm-256color", "VTE_VERSION": "7200"], .osc777),
    (["TERM": "foot"], .osc777),
    (["TERM": "rxvt-unicode-256color"], .osc777),
    (["TERM": "xterm-256color"], .bell),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal", "VTE_VERSION": "1"], .bell),
    (["TERM": "linux", "KITTY_WINDOW_ID": "1"], .bell),
    (["TERM": "dumb"], .bell), ([:], .bell),
  ])
  func `auto takes what the terminal is known for`(
    _ environment: [String: String], _ way: NotificationWay
  ) {
    let route = NotificationRoute(.auto, environment: environment)
    #expect(route.way == way)
    #expect(!route.reason.isEmpty)
  }

  @Test func `what is set is taken on any terminal`() {
    for way in NotificationWay.allCases where way != .auto && way != .dbus {
      #expect(NotificationRoute(way, environment: ["TERM": "linux"]).way == way)
    }
  }

  @Test func `what the desktop does not take goes the way that the terminal is known for`() {
    for environment in [["TERM": "linux"], ["TERM": "xterm-kitty"], ["TERM": "foot"], [:]] {
      #expect(
        NotificationRoute(.dbus, environment: environment)
          == NotificationRoute(.auto, environment: environment))
    }
  }

  @Test func `each way has its sequence`() {
    #expect(bytes(.bell) == "\u{7}")
    #expect(bytes(.none).isEmpty)
    #expect(bytes(.osc9) == "\u{1b}]9;Rally: @bob asks; to be your friend.\u{1b}\\")
    #expect(bytes(.osc777) == "\u{1b}]777;notify;Rally;@bob asks, to be your friend.\u{1b}\\")
    #expect(
      bytes(.osc99) == "\u{1b}]99;i=rally:d=0;Rally\u{1b}\\"
        + "\u{1b}]99;i=rally:d=1:p=body;@bob asks; to be your friend.\u{1b}\\")
  }

  @Test func `only a message says something`() {
    let route = NotificationRoute(.osc9, environment: [:])
    #expect(route.bytes(for: Announcement(level: .bell, text: "x")) == "\u{7}")
    #expect(route.bytes(for: Announcement(level: .off, text: "x")).isEmpty)
    let none = NotificationRoute(.none, environment: [:])
    #expect(none.bytes(for: Announcement(level: .bell, text: "x")).isEmpty)
  }

  @Test func `a multiplexer is asked to pass it on, and rings where it does not`() {
    #expect(
      bytes(.osc9, ["TMUX": "/tmp/tmux-0/default,1,0"])
        == "\u{1b}Ptmux;\u{1b}\u{1b}]9;Rally: @bob asks; to be your friend.\u{1b}\u{1b}\\\u{1b}\\"
        + "\u{7}")
    #expect(
      bytes(.osc9, ["STY": "1.pts"])
        == "\u{1b}P\u{1b}]9;Rally: @bob asks; to be your friend.\u{7}\u{1b}\\\u{7}")
    // Each of two sequences is wrapped for itself.
    #expect(bytes(.osc99, ["TMUX": "x"]).components(separatedBy: "\u{1b}Ptmux;").count == 3)
    #expect(bytes(.bell, ["TMUX": "x"]) == "\u{7}")
  }

  @Test func `nobody's text can leave the sequence`() {
    let sly = "a\u{7}b\u{1b}\\c\u{9c}d\ne"
    for way in [NotificationWay.osc9, .osc777, .osc99] {
      for part in NotificationSequence.sequences(sly, by: way, terminator: "") {
        #expect(part.unicodeScalars.dropFirst().allSatisfy { $0.value >= 0x20 && $0.value != 0x9C })
      }
    }
  }
}
