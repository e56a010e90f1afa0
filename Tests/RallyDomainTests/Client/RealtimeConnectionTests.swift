import Foundation
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallyRules

@Suite struct RealtimeConnectionTests {
  @Test func `a Unix socket carries requests and changes`() async throws {
    // given
    let folder = try TemporaryFolder()
    let path = folder.file("run/s.sock")
    let server = try await TestServer.start { $0.listeners = [.unixSocket(path: path)] }
    func client(_ name: String) -> SupabaseClient {
      SupabaseClient(tokens: nil) { [key = server.key] in
        ServerAddress(endpoint: .unixSocket(path: path), key: key)
      }
    }
    let (ana, ben) = (client("ana"), client("ben"))
    let session = try await AuthService(client: ana).signUp(
      email: "ana@example.org", password: Samples.password, username: "ana")
    try await AuthService(client: ben).signUp(
      email: "ben@example.org", password: Samples.password, username: "ben")
    // when
    var events = try await FriendsRealtimeService(client: ana).listen().makeAsyncIterator()
    while await events.next() != .live {}
    try await FriendsService(client: ben).requestFriend(userID: session.user.id)
    // then
    var news: FriendshipNews?
    while news == nil, let heard = await events.next() {
      if case .changed(.relation(let relation)) = heard { news = relation }
    }
    #expect(news?.relation.status == .incoming)
    #expect(news?.relation.profile?.username == "ben")
    await ana.realtime?.stop()
    try await server.stop()
  }

  @Test func `what nobody reads waits at the server, and comes whole and in order`() async throws {
    try await TestServer.with { server in
      let endpoint = ServerEndpoint.url(try ServerURL(server.url))
      let link = try await Transport.live.openSocket(
        SocketCall(
          endpoint: endpoint, path: "/realtime/v1/websocket?apikey=\(server.key)&vsn=1.0.0"))
      let references = (1...200).map(String.init)
      for reference in references {
        link.send(
          #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"\#(reference)"}"#)
      }
      var answered: [String] = []
      for await text in link.incoming {
        let answer = try JSONReader.value(of: text.utf8)
        answered += [answer["ref"]?.string].compactMap(\.self)
        if answered.count == references.count { break }
      }
      #expect(answered == references)
      link.close()
    }
  }

  @Test func `a connection that breaks comes back and says live again`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      var events = try await ana.friendsRealtimeService.listen().makeAsyncIterator()
      while await events.next() != .live {}
      ana.gate.breakSockets()
      while await events.next() != .interrupted {}
      while await events.next() != .live {}
      #expect(ana.gate.openedSockets == 2)
      await ana.client.realtime?.stop()
    }
  }

  @Test func `a renewed token is pushed over the open socket`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      var events = try await ana.friendsRealtimeService.listen().makeAsyncIterator()
      while await events.next() != .live {}
      let connection = try ana.client.configured()
      let old = try await connection.keeper.token()
      // Two tokens of one second are the same text.
      var new = old
      while new.text == old.text {
        new = try await connection.keeper.token(insteadOf: old.text)
      }
      let text = JSONValue.string(new.text)
      #expect(
        await ana.gate.wasSent {
          $0.event == .accessToken && $0.payload["access_token"] == text
        })
      await ana.client.realtime?.stop()
    }
  }

  @Test func `a second listener takes over from the first`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let first = try await ana.friendsRealtimeService.listen()
      var second = try await ana.friendsRealtimeService.listen().makeAsyncIterator()
      for await _ in first {}
      while await second.next() != .live {}
      await ana.friendsRealtimeService.leave()
      var rest: RealtimeUpdate<FriendsChange>?
      repeat { rest = await second.next() } while rest != nil
      await ana.client.realtime?.stop()
    }
  }

  @Test func `nobody listens who is not signed in`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await ana.authService.signOut()
      await #expect(throws: NetworkError.signedOut) {
        _ = try await ana.friendsRealtimeService.listen()
      }
      #expect(ana.gate.openedSockets == 0)
    }
  }

  @Test func `a refused upgrade says its status`() async throws {
    try await TestServer.with { server in
      let call = SocketCall(
        endpoint: .url(try ServerURL(server.url)),
        path: "\(RealtimeTopic.path)?apikey=wrong&vsn=1.0.0")
      await #expect(throws: NetworkError.http(status: 401)) {
        _ = try await ServerAnswers().open(call, over: .live)
      }
    }
  }
}
