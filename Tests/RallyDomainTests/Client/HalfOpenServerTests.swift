import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

/// A client that knows two addresses, of which the first takes bytes and says nothing.
@Suite struct HalfOpenServerTests {
  @Test func `a client whose server falls silent goes on at the next, with its change made once`()
    async throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let address = try PostgresFixture.shared.get().database()
    var nodes: [TestServer] = []
    for _ in 0..<2 {
      nodes.append(
        try await TestServer.start {
          $0.database = .postgres(address, folder: nil)
          $0.encryptionKey = folder.file("encryption.key")
        })
    }
    let port = try #require(URLComponents(string: nodes[0].url)?.port)
    let proxy = try await FaultProxy([.tcp(port: port)])
    let silent = ServerEndpoint.url(try ServerURL(proxy.url))
    // Nobody wants to wait fifteen seconds for what never comes.
    let transport = Transport(
      send: { call in
        var call = call
        if call.endpoint == silent, proxy.fault != nil { call.timeout = .milliseconds(300) }
        return try await Transport.live.send(call)
      },
      openSocket: { call in
        var call = call
        if call.endpoint == silent, proxy.fault != nil { call.timeout = .milliseconds(300) }
        return try await Transport.live.openSocket(call)
      })
    let ring = AddressRing([try ServerURL(proxy.url), try ServerURL(nodes[1].url)])
    let key = nodes[0].key
    let client = SupabaseClient(tokens: nil, transport: transport) {
      ServerAddress(endpoint: .url(ring.next()), key: key)
    }
    let user = try await AuthService(client: client).signUp(
      email: "ana@example.org", password: Samples.password, username: "ana"
    ).user
    let updates = try await FriendsRealtimeService(client: client).listen()
    let realtime = try #require(client.realtime)
    var links = await realtime.linkStates().makeAsyncIterator()
    await realtime.start()
    while let link = await links.next(), link != .live {}

    proxy.begin(.silence)
    let changed = try await client.call(UpdateProfile(bio: "new"), clientID: UUID())
    #expect(changed.version == 2)
    #expect(try await client.call(FetchProfiles(userIDs: [user.id])).first?.bio == "new")
    // As after a wake from sleep: the link is probed and found dead.
    await realtime.retryNow()
    var wasLost = false
    while let link = await links.next() {
      if link != .live { wasLost = true } else if wasLost { break }
    }
    #expect(wasLost)
    await realtime.stop()
    withExtendedLifetime(updates) {}
    proxy.heal()
    for node in nodes { try await node.stop() }
  }
}
