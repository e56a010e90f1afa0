import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// From an empty group to two friends, over TLS on a name, by links alone.
  @Suite struct InvitationJourneyTests {
    /// Somebody at a terminal: what they type, and which keys they press beside it.
    private struct Hands {
      let session: PtySession
      private(set) var letters = 0
      private(set) var keys = 0

      init(_ session: PtySession) { self.session = session }

      mutating func type(_ text: String) {
        letters += text.count
        session.send(text)
      }

      mutating func press(_ key: PtyKey) {
        keys += 1
        session.send(key)
      }

      /// What it takes who types four letters a second, which is not fast, with two for the paste of the
      /// link; the program's own time is the benchmarks'.
      var seconds: Double { 2 + Double(letters + keys) / 4 }
    }

    /// Makes an account by a link in a terminal.
    private func join(
      _ home: Home, as name: String, by link: String, seeing sentence: String
    ) async throws -> Hands {
      var hands = Hands(try await home.open(link))
      try await hands.session.waitFor(sentence, "▸ Username")
      hands.type(name)
      hands.press(.enter)
      try await hands.session.waitFor("▸ Password")
      hands.type(Home.password)
      hands.press(.enter)
      return hands
    }

    @Test func `the operator's link brings the first person in, and hers a friend`() async throws {
      let served = try await ServedRally(securelyWith: TestAuthority())
      let address = served.announcement.url
      try await eventually("the server looked at its address") {
        served.command.snapshot.errorText.contains("\(address) answers as this server")
      }
      let first = try await served.firstLink()
      #expect(first.hasPrefix("\(address)/i#"))
      let (ana, cleo) = (try served.stranger(), try served.stranger())
      let anas = try await join(
        ana, as: "ana", by: first, seeing: "You are invited to the group on this server.")
      try await anas.session.waitForTabs(of: "ana")
      try await anas.session.waitUntilLive()

      let link = try await ana.must("invite").output.trimmingCharacters(in: .newlines)
      #expect(link.hasPrefix("\(address)/i#"))
      // It stands for some seconds only.
      async let told = anas.session.waitFor("@cleo came by your invitation.")
      // As a messenger makes it.
      let cleos = try await join(
        cleo, as: "cleo", by: "<\(link)>.", seeing: "@ana invites you: you become friends.")
      try await cleos.session.waitFor("You and @ana are friends now.")
      _ = try await told
      for hands in [anas, cleos] {
        #expect(hands.keys <= 3)
        #expect(hands.seconds < 20)
      }
      #expect(
        try await cleo.must("friends", "--json").json().array?.map { $0["username"] } == ["ana"])
      // The code was for one, and no code is in what the server said.
      let code = String(link.suffix(16))
      #expect(!served.command.snapshot.errorText.contains(code))
      let late = try served.stranger()
      let lates = try await late.open(link)
      try await lates.waitFor("This invitation has been used.")
    }

    @Test func `two friends by a link are on one map, and who was away is told of it once`()
      async throws
    {
      let served = try await ServedRally(securelyWith: TestAuthority())
      let (ana, cleo) = (try served.stranger(), try served.stranger())
      let anas = try await join(
        ana, as: "ana", by: try await served.firstLink(), seeing: "You are invited to the group")
      try await anas.session.waitForTabs(of: "ana")
      // What she knew, and not only her account, decides what is news to her.
      anas.session.send("3")
      try await anas.session.waitFor("All 0")
      anas.session.send("q")
      try await anas.session.waitForExit()

      let link = try await ana.must("invite", "create").output.trimmingCharacters(in: .newlines)
      try await ana.must("location", "share", "precise")
      let cleos = try await join(
        cleo, as: "cleo", by: link, seeing: "@ana invites you: you become friends.")
      try await cleos.session.waitFor("You and @ana are friends now.")
      // The map opens on her as soon as she may be seen.
      try await ana.must("location", "set", "38.7223,-9.1393")
      try await cleos.session.waitFor("▐1 Map▌", "Lisbon, Portugal")

      let back = try await ana.open()
      try await back.waitFor("@cleo came by your invitation.")
      back.send("q")
      try await back.waitForExit()
      let again = try await ana.open()
      try await again.waitForTabs(of: "ana")
      try await again.waitUntilLive()
      try await again.waitFor("@cleo")
      #expect(!again.screen.contains("came by your invitation"))
    }
  }
}
