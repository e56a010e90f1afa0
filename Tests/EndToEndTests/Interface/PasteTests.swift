import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct PasteTests {
    @Test func `a hundred thousand letters are pasted at once, and none of them is a key`()
      async throws
    {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.send("c")
      try await session.waitFor("Find", "a name or a username")
      // Lines of keys that would quit, suspend and sign out.
      let pasted = String(repeating: "q\n:q\n\u{1A}\u{3}\u{3}ZZ:sign-out\ny", count: 5_000)
      #expect(pasted.utf8.count > 100_000)
      session.send("\u{1B}[200~" + pasted + "\u{1B}[201~")
      try await session.waitFor("takes no more than 2000 characters")
      session.send(.control("u"))
      session.send("bob")
      try await session.waitFor("Nobody found", "bob")
      #expect(session.snapshot.life == .running)
    }

    @Test func `without a field nothing is pasted, and that is said`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.send("\u{1B}[200~q\u{1B}[201~")
      try await session.waitFor("Nothing here takes pasted text.")
    }
  }
}
