import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// `SSHKeysService` and `SSHKeysStore`.
@MainActor
@Suite struct SSHKeysTests {
  private let line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP ana@laptop"

  @Test func `a key is added, listed and removed by the service`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = SSHKeysService(client: ana.client)
      let added = try await service.addKey(try SSHPublicKey(line: line), name: "laptop")
      #expect(try await service.fetchKeys().map(\.name) == ["laptop"])
      try await service.removeKey(added.id)
      #expect(try await service.fetchKeys().isEmpty)
      ana.gate.goOffline()
      await #expect(throws: NetworkError.self) { try await service.fetchKeys() }
    }
  }

  @Test func `the store takes a line, refuses what is none, and adds a key once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = SSHKeysStore(
        sshKeysService: SSHKeysService(client: ana.client),
        server: .remote(try ServerURL(server.url), key: server.key))
      await store.fetchKeys()
      #expect(store.loadState == .loaded)
      #expect(await store.add("ssh-ed25519 !!!!").problem != nil)
      ana.gate.hold("add_ssh_key")
      let adding = Task { await store.add(line) }
      #expect(await ana.gate.isHeld("add_ssh_key"))
      #expect(await !store.add(line).isDone)
      ana.gate.release("add_ssh_key")
      #expect(await adding.value.isDone)
      #expect(ana.gate.calls(of: "add_ssh_key") == 1)
      let key = try #require(store.keys.first)
      ana.gate.fail("remove_ssh_key", with: .connectionLost)
      #expect(await !store.remove(key).isDone)
      #expect(store.loadState == .loaded && store.presentedError != nil && store.keys.count == 1)
      ana.gate.release("remove_ssh_key")
      #expect(await store.remove(key).isDone)
      #expect(store.keys.isEmpty && store.presentedError == nil)
    }
  }
}
