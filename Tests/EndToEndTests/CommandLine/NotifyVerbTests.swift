import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct NotifyVerbTests {
    @Test func `each way is tried, and the one that counts is named with its reason`()
      async throws
    {
      let home = try Home()
      let session = try await home.open(
        adding: ["VTE_VERSION": "7200"], "notify", "--test", "--json")
      #expect(try await session.waitForExit() == .exited(0))
      let output = String(decoding: session.snapshot.output, as: UTF8.self)
      #expect(output.contains("\u{1b}]9;Rally: This notification came by osc9.\u{1b}\\"))
      #expect(output.contains("\u{1b}]777;notify;Rally;This notification came by osc777.\u{1b}\\"))
      #expect(output.contains("\u{1b}]99;i=rally:d=0;Rally\u{1b}\\"))
      #expect(session.screen.bells == 1)
      #expect(output.contains("\"way\":\"osc777\""))
      #expect(output.contains("\"reason\":\"VTE_VERSION is set\""))
      #expect(output.contains("\"sent\":[\"bell\",\"osc9\",\"osc777\",\"osc99\"]"))
    }

    @Test func `one way alone is tried through tmux`() async throws {
      let session = try await Home().open(
        adding: ["TMUX": "x", "TERM": "tmux-256color"], "notify", "--test", "--way", "osc9")
      #expect(try await session.waitForExit() == .exited(0))
      let output = String(decoding: session.snapshot.output, as: UTF8.self)
      #expect(output.contains("\u{1b}Ptmux;\u{1b}\u{1b}]9;Rally: "))
      #expect(!output.contains("]777;"))
      #expect(session.screen.contains("allow-passthrough on"))
    }

    @Test func `without a test, with an odd way and without a terminal it says what to do`()
      async throws
    {
      let home = try Home()
      #expect(try await home.rally("notify").errors.contains("--test"))
      #expect(try await home.rally("notify", "--test", "--way", "none").errors.contains("osc777"))
      #expect(try await home.rally("notify", "--test", "--way", "smoke").errors.contains("smoke"))
    }

    @Test func `the doctor names the way`() async throws {
      let served = try await ServedRally()
      let run = try await served.home().rally(
        "doctor", "--json", adding: ["KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"])
      let notifications = try run.json()["notifications"]
      #expect(notifications?["way"] == "osc99")
      #expect(notifications?["reason"] == "KITTY_WINDOW_ID is set")
    }
  }
}
