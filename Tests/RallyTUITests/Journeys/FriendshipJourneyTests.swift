import RallyClient
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

@Suite struct FriendshipJourneyTests {
  @Test func `two people find each other and are friends, each seeing what the other does`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)

      // Ana finds Bob by a part of his name and asks him.
      ana.screen.press("c")
      ana.screen.type("sto")
      await ana.screen.waitFor("@bob")
      ana.screen.press("Enter")
      await ana.screen.waitFor("You asked @bob.")

      // Bob sees it without doing anything, and accepts.
      await bob.screen.waitFor("@ana wants to be friends.")
      #expect(bob.screen.contains("3 Friends·1"))
      #expect(bob.screen.contains("Requests for you (1)"))
      bob.screen.press("a")
      await bob.screen.waitFor("Accept Ana Pereira?")
      bob.screen.press("y")
      await bob.screen.waitFor("You and @ana are friends now.")

      // Ana sees it, and that he is there.
      await ana.screen.waitFor("@bob is a friend now.")
      ana.screen.press("Esc Esc Esc")
      await ana.screen.waitFor("Online (1)")
      #expect(ana.screen.contains("All 1"))

      // He leaves; she sees that too.
      await bob.close()
      await ana.screen.waitFor("Friends (1)")
      await ana.close()
    }
  }

  @Test func `an undo that fails says only why, and can be tried again`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await Journey(on: server, as: "bob")
      ana.screen.press("c")
      ana.screen.type("bob")
      await ana.screen.waitFor("@bob")
      ana.screen.press("Enter")
      await ana.screen.waitFor("You asked @bob.")
      // To the list, where letters are keys.
      ana.screen.press("Enter")
      ana.gate.fail("cancel_friend_request", with: .http(status: 400), times: 1)
      ana.screen.press("u")
      await ana.screen.waitFor("Request not cancelled")
      #expect(!ana.screen.contains("Undone"))
      ana.screen.press("u")
      await ana.screen.waitFor("Undone: your request to @bob")
    }
  }

  @Test func `a declined request is gone on both screens`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", on: server)
      try await ana.friendsService.requestFriend(userID: bob.userID())
      await bob.screen.waitFor("Requests for you (1)")
      await ana.screen.waitFor("You asked (1)")

      bob.screen.press("x")

      await bob.screen.waitFor("Nobody here yet.")
      await ana.screen.waitFor("Nobody here yet.")
    }
  }

  @Test func `a request can be withdrawn, the withdrawal undone, and that done again`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", on: server)
      try await ana.friendsService.requestFriend(userID: bob.userID())
      await ana.screen.waitFor("You asked (1)")
      await bob.screen.waitFor("Requests for you (1)")

      ana.screen.press("x")
      await ana.screen.waitFor("You withdrew your request to @bob.")
      await bob.screen.waitFor("Nobody here yet.")

      ana.screen.press("u")
      await ana.screen.waitFor("Undone: the withdrawal of your request to @bob")
      await bob.screen.waitFor("Requests for you (1)")

      ana.screen.press("^R")
      await bob.screen.waitFor("Nobody here yet.")
    }
  }

  @Test func `unfriending asks first, and the safe answer keeps the friend`() async throws {
    try await TestServer.with { server in
      let (ana, bob) = try await friends(on: server)

      ana.screen.press("x")
      await ana.screen.waitFor("Unfriend bob?")
      ana.screen.press("Esc")
      await ana.screen.waitUntilIdle()
      #expect(!ana.screen.contains("Unfriend bob?"))
      #expect(ana.screen.contains("Online (1)"))

      ana.screen.press("x y")
      await ana.screen.waitFor("Nobody here yet.")
      await bob.screen.waitFor("Nobody here yet.")
    }
  }

  @Test func `blocking ends the friendship on both screens and can be taken back on its list`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, bob) = try await friends(on: server)

      ana.screen.press("B")
      await ana.screen.waitFor("Block bob?")
      ana.screen.press("y")
      await ana.screen.waitFor("You blocked @bob.")
      await bob.screen.waitFor("Nobody here yet.")

      // Bob cannot find Ana any more.
      bob.screen.press("c")
      bob.screen.type("ana")
      await bob.screen.waitFor("Nobody found.")

      // Ana takes it back on the list of those she blocks.
      ana.screen.press("Tab Tab Tab")
      await ana.screen.waitFor("x bob")
      ana.screen.press("x")
      await ana.screen.waitFor("You unblocked @bob.")
      await ana.screen.waitFor("You block nobody.")
      bob.screen.press("BS")
      await bob.screen.waitFor("· ana")
    }
  }

  @Test func `a key that cannot act says why`() async throws {
    try await TestServer.with { server in
      let (ana, _) = try await friends(on: server)
      ana.screen.press("a")
      await ana.screen.waitFor("This is no request")
    }
  }

  private func friends(on server: TestServer) async throws -> (Journey, Journey) {
    let ana = try await Journey.live("ana", on: server)
    let bob = try await Journey.live("bob", on: server)
    try await ana.friendsService.requestFriend(userID: bob.userID())
    try await bob.friendsService.requestFriend(userID: ana.userID())
    await ana.screen.waitFor("Online (1)")
    await bob.screen.waitFor("Online (1)")
    return (ana, bob)
  }
}
