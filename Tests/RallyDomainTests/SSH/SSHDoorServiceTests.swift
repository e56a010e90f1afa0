import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct SSHDoorServiceTests {
  private func write(_ text: String, mode: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.file("door.json")
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func door(_ gate: TransportGate, in folder: TemporaryFolder) throws -> SSHDoorService {
    let file = SSHDoorFile(
      server: "https://rally.example.org", apiKey: "key", token: "door", guests: "/guests")
    let path = try write(
      String(decoding: try WireJSON.encode(file), as: UTF8.self), mode: 0o600, in: folder)
    let door = try SSHDoorDescription(path: path)
    return SSHDoorService(door: door, client: door.client(over: gate.transport))
  }

  private func key() throws -> SSHPublicKey {
    try SSHPublicKey(
      line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP")
  }

  @Test func `a file that others read, that is damaged or missing is told apart`() throws {
    let folder = try TemporaryFolder()
    #expect(throws: SSHDoorDescription.Problem.notPrivate) {
      _ = try SSHDoorDescription(path: try write("{}", mode: 0o644, in: folder))
    }
    #expect(throws: SSHDoorDescription.Problem.damaged) {
      _ = try SSHDoorDescription(path: try write("{}", mode: 0o600, in: folder))
    }
    #expect(throws: SSHDoorDescription.Problem.self) {
      _ = try SSHDoorDescription(path: folder.file("none"))
    }
  }

  @Test func `a ticket is taken, nobody's key has none, and what is no token is refused`()
    async throws
  {
    let (folder, gate) = (try TemporaryFolder(), TransportGate(over: nil))
    let door = try door(gate, in: folder)
    gate.answer(
      SSHDoorPath.ticket, HTTPAnswer(status: 200, body: Data(#"{"ticket":"a.b"}"#.utf8)), times: 1)
    #expect(try await door.ticket(for: try key())?.ticket == "a.b")
    gate.answer(SSHDoorPath.ticket, HTTPAnswer(status: 204, body: Data()), times: 1)
    #expect(try await door.ticket(for: try key()) == nil)
    gate.answer(
      SSHDoorPath.ticket, HTTPAnswer(status: 200, body: Data(#"{"ticket":"a b\""}"#.utf8)), times: 1
    )
    await #expect(throws: NetworkError.invalidResponse) {
      try await door.ticket(for: try key())
    }
  }

  @Test func `a door without a server says so`() async throws {
    let (folder, gate) = (try TemporaryFolder(), TransportGate(over: nil))
    let door = try door(gate, in: folder)
    gate.goOffline()
    let error = await #expect(throws: NetworkError.self) {
      try await door.admission(for: SSHTicket(ticket: "a.b"))
    }
    #expect(error?.isOffline == true)
  }
}
