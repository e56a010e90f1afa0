import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The interface in words, as a screen reader meets it: on a real terminal.
  @Suite struct PlainTests {
    @Test func `a request is a line of words, the cursor is on it, and it is accepted in words`()
      async throws
    {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob", displayName: "Bob Stone")
      let ana = try await anaHome.open("--plain")
      try await ana.waitUntil("a live link in words") {
        $0.lines[0].contains("3 Friends is open") && $0.lines[0].contains(" live ")
      }
      try await bob.must("friends", "add", "ana")
      let asked = try await ana.waitUntil("the request, with the cursor on it") { screen in
        screen.row(of: "Bob Stone @bob, wants to be friends") == screen.cursor.row
      }
      #expect(asked.contains("Requests for you (1)"))
      ana.send("a")
      let question = try await ana.waitFor("Accept Bob Stone?", "You will be friends")
      #expect(!question.contains("Requests for you"), "what stood beside it would be read with it")
      ana.send("y")
      let friends = try await ana.waitUntil("Bob as a friend, in words") {
        $0.contains("Friends (1)") && $0.contains("Bob Stone @bob, offline")
      }
      ana.send("q")
      #expect(try await ana.waitForExit() == .exited(0))
      #expect(ana.leftBehind == [])
      // Lines, blocks, shapes and braille are read out one by one.
      for screen in [asked, question, friends] {
        #expect(!screen.text.unicodeScalars.contains { (0x2500..<0x2900).contains($0.value) })
      }
    }
  }
}
