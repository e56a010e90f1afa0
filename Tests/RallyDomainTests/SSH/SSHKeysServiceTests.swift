import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct SSHKeysServiceTests {
  private func laptop() throws -> SSHPublicKey {
    try SSHPublicKey(
      line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP")
  }

  private func desk() throws -> SSHPublicKey {
    try SSHPublicKey(
      line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIDbrdrU22r/34jARDURYg9hlD6YrvHmXcyJNqVOxydN")
  }

  @Test func `keys are added, listed with the oldest first, and removed`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = SSHKeysService(client: ana.client)
      let id = UUID()
      let laptop = try await service.addKey(try laptop(), name: "laptop", proof: "door's", id: id)
      #expect(laptop.id == id && laptop.name == "laptop" && laptop.type == "ssh-ed25519")
      // As `ssh-keygen -l` prints it.
      #expect(laptop.fingerprint == "SHA256:3UzAu8Yg/0atMfXZPwEd1MIIFRKLS7TZOvLJg6ADLWE")
      let sent = try #require(ana.gate.bodies(of: "add_ssh_key").last)
      #expect(try WireJSON.decode(AddSSHKey.self, from: sent).proof == "door's")
      let desk = try await service.addKey(try desk(), name: "desk")
      #expect(try await service.fetchKeys() == [laptop, desk])
      try await service.removeKey(id)
      #expect(try await service.fetchKeys() == [desk])
    }
  }

  @Test func `a lost answer is asked for again, and a repeated call counts once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = SSHKeysService(client: ana.client)
      let (id, clientID) = (UUID(), UUID())
      ana.gate.loseAnswer("add_ssh_key")
      let added = try await service.addKey(
        try laptop(), name: "laptop", id: id, clientID: clientID)
      #expect(try await service.fetchKeys() == [added])
      ana.gate.loseAnswer("remove_ssh_key")
      try await service.removeKey(id)
      #expect(ana.gate.calls(of: "remove_ssh_key") == 2)
      let again = try await service.addKey(
        try laptop(), name: "laptop", id: id, clientID: clientID)
      #expect(again == added)
      #expect(try await service.fetchKeys().isEmpty)
    }
  }

  @Test func `a key that is there, an unknown one and a missing network are told apart`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = SSHKeysService(client: ana.client)
      _ = try await service.addKey(try laptop(), name: "laptop")
      #expect(
        await refusal { _ = try await service.addKey(try laptop(), name: "other") }
          == .invalidArgument)
      #expect(await refusal { try await service.removeKey(UUID()) } == .notFound)
      ana.gate.goOffline()
      let error = await #expect(throws: NetworkError.self) { try await service.fetchKeys() }
      #expect(error?.isOffline == true)
    }
  }
}
