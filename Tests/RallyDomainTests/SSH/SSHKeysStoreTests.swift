import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct SSHKeysStoreTests {
  private let line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP ana@laptop"

  private func makeStore(_ person: TestPerson, _ server: TestServer) throws -> SSHKeysStore {
    SSHKeysStore(
      sshKeysService: SSHKeysService(client: person.client),
      server: .remote(try ServerURL(server.url), key: server.key))
  }

  @Test func `a line that is no key is not sent, and a key is added once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      #expect(store.loadState == .loading)
      await store.fetchKeys()
      #expect(store.loadState == .loaded && store.keys.isEmpty)
      #expect(await store.add("ssh-ed25519 !!!!").problem != nil)
      #expect(store.presentedError == nil && ana.gate.calls(of: "add_ssh_key") == 0)
      ana.gate.hold("add_ssh_key")
      let adding = Task { await store.add(line) }
      #expect(await ana.gate.isHeld("add_ssh_key"))
      #expect(store.isBusy && store.isChanging)
      #expect(await !store.add(line).isDone)
      ana.gate.release("add_ssh_key")
      #expect(await adding.value.isDone)
      #expect(store.keys.map(\.name) == ["ana@laptop"] && !store.isBusy && !store.isChanging)
      #expect(ana.gate.calls(of: "add_ssh_key") == 1)
    }
  }

  @Test func `a key that the server has already is presented, and listed once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      #expect(await store.add(line).isDone)
      #expect(await !store.add(line).isDone)
      #expect(store.presentedError != nil && store.keys.count == 1)
      await store.fetchKeys()
      #expect(store.presentedError == nil && store.keys.count == 1)
    }
  }

  @Test func `a key is added after a fetch that is on its way`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      ana.gate.holdAnswers("fetch_ssh_keys")
      let fetching = Task { await store.fetchKeys() }
      #expect(await ana.gate.isHeld("fetch_ssh_keys"))
      let adding = Task { await store.add(line) }
      #expect(await eventually { store.isChanging })
      // One request there and back, in which the other would have been sent as well.
      _ = try await CalendarService(client: ana.client).fetchAddress()
      #expect(ana.gate.calls(of: "add_ssh_key") == 0)
      ana.gate.release("fetch_ssh_keys")
      await fetching.value
      #expect(await adding.value.isDone)
      #expect(store.keys.map(\.name) == ["ana@laptop"])
    }
  }

  @Test func `a removal that fails is presented, and the list stays loaded`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      await store.fetchKeys()
      let key = try #require(await store.add(line).value)
      ana.gate.fail("remove_ssh_key", with: .connectionLost)
      #expect(await !store.remove(key).isDone)
      #expect(store.loadState == .loaded && store.keys == [key])
      #expect(store.presentedError != nil && store.problem == store.presentedError?.description)
      ana.gate.release("remove_ssh_key")
      #expect(await store.remove(key).isDone)
      #expect(store.keys.isEmpty && store.problem == nil)
    }
  }

  @Test func `a fetch that fails is the list's state, and the known keys stay`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try makeStore(ana, server)
      await store.fetchKeys()
      let key = try #require(await store.add(line).value)
      ana.gate.goOffline()
      await store.fetchKeys()
      #expect(store.loadState.failure?.isOffline == true && store.problem != nil)
      #expect(store.presentedError == nil && store.keys == [key])
      ana.gate.goOffline(false)
      await store.fetchKeys()
      #expect(store.loadState == .loaded && store.problem == nil && store.keys == [key])
    }
  }
}
