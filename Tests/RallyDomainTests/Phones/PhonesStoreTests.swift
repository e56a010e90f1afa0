import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct PhonesStoreTests {
  private func makeStore(_ person: TestPerson, _ server: TestServer) throws -> PhonesStore {
    PhonesStore(
      phonesService: PhonesService(client: person.client), profileService: person.profileService,
      server: .remote(try ServerURL(server.url), key: server.key))
  }

  @Test func `a phone is added once, with a name that is free, and its secret is forgotten`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      #expect(store.loadState == .loading)
      await store.fetchPhones()
      #expect(store.loadState == .loaded)
      ana.gate.hold("add_phone")
      let adding = Task { await store.addPhone(.owntracks) }
      #expect(await ana.gate.isHeld("add_phone"))
      #expect(await !store.addPhone(.owntracks).isDone)
      ana.gate.release("add_phone")
      #expect(await adding.value.isDone)
      #expect(store.setup?.username == "ana")
      #expect(await store.addPhone(.owntracks).isDone)
      #expect(store.phones.map(\.name) == ["OwnTracks", "OwnTracks 2"])
      #expect(ana.gate.calls(of: "add_phone") == 2)
      store.closeSetup()
      #expect(store.setup == nil)
    }
  }

  @Test func `a phone that is added while the others are fetched comes after them`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await PhonesService(client: ana.client).addPhone(
        app: .owntracks, name: "OwnTracks", secret: .random())
      let store = try makeStore(ana, server)
      let made = ana.gate.calls(of: "add_phone")
      ana.gate.hold("fetch_phones")
      let fetching = Task { await store.fetchPhones() }
      #expect(await ana.gate.isHeld("fetch_phones"))
      let adding = Task { await store.addPhone(.owntracks) }
      #expect(await eventually { store.isChanging })
      // A second key adds no second phone.
      #expect(await !store.addPhone(.owntracks).isDone)
      #expect(ana.gate.calls(of: "add_phone") == made)
      ana.gate.release("fetch_phones")
      await fetching.value
      #expect(await adding.value.isDone)
      #expect(store.phones.map(\.name) == ["OwnTracks", "OwnTracks 2"])
      #expect(!store.isChanging)
    }
  }

  @Test func `a change that fails is presented, and the list stays loaded`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      await store.fetchPhones()
      let phone = try #require(await store.addPhone(.overland).value)
      ana.gate.fail("revoke_phone", with: .connectionLost)
      #expect(await !store.revoke(phone).isDone)
      #expect(store.loadState == .loaded)
      #expect(store.presentedError != nil && store.problem == store.presentedError?.description)
      #expect(store.phones.count == 1)
      ana.gate.release("revoke_phone")
      #expect(await store.revoke(phone).isDone)
      #expect(store.phones.isEmpty && store.problem == nil)
    }
  }

  @Test func `a fetch that fails is the list's state, and nothing is added on this machine alone`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      ana.gate.goOffline()
      await store.fetchPhones()
      #expect(store.loadState.failure?.isOffline == true)
      #expect(store.presentedError == nil)
      let embedded = PhonesStore(
        phonesService: PhonesService(client: ana.client), profileService: ana.profileService,
        server: .embedded)
      #expect(await !embedded.addPhone(.owntracks).isDone)
      #expect(embedded.presentedError == nil)
    }
  }
}
