import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// From an empty group to two friends, over TLS on a name, by links alone.
  @Suite struct InvitationJourneyTests {
    /// Makes an account by a link in a terminal: what is typed, and the keys beside it.
    private func join(
      _ home: Home, as name: String, by link: String, seeing sentence: String
    ) async throws -> (session: PtySession, keys: Int) {
      let session = try await home.open(link)
      try await session.waitFor(sentence, "▸ Username")
      session.send(name)
      session.send(.enter)
      try await session.waitFor("▸ Password")
      session.send(Home.password)
      session.send(.enter)
      return (session, 2)
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
      #expect(anas.keys + cleos.keys == 4)
      #expect(
        try await cleo.must("friends", "--json").json().array?.map { $0["username"] } == ["ana"])
      // The code was for one, and no code is in what the server said.
      let code = String(link.suffix(16))
      #expect(!served.command.snapshot.errorText.contains(code))
      let late = try served.stranger()
      let lates = try await late.open(link)
      try await lates.waitFor("This invitation has been used.")
    }
  }
}
