import Foundation
import Glibc
import RallyClient
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Links that other programs hand over, and the socket that they come on.
@Suite struct RallyLinkTests {
  @Test func `an invitation is read as it was written`() throws {
    let text = "rally://invite/7QK2MX9PTF?server=https%3A%2F%2Frally.example.org"
    let link = try RallyLink(text)
    #expect(link.invitation?.code.description == "7QK2M-X9PTF")
    #expect(link.invitation?.server?.description == "https://rally.example.org")
    let id = "00000000-0000-0000-0000-0000000000aa"
    #expect(
      try RallyLink("rally://mission/\(id)").target
        == .mission(MissionLink(id: UUID(uuidString: id)!)))
    #expect(try RallyLink("Rally://mission/\(id.uppercased())").text == "rally://mission/\(id)")
    #expect(try RallyLink("RALLY://invite/7qk2mx9ptf?y=2").text == "rally://invite/7QK2MX9PTF")
  }

  @Test(arguments: [
    ("https://example.org/invite/7QK2MX9PTF", "one of https:"),
    ("javascript:alert(1)", "one of javascript:"), ("file:///etc/passwd", "one of file:"),
    ("7QK2MX9PTF", "This is no link"), ("", "This is no link"),
    ("rally://settings/delete", "one of settings"), ("rally:invite/7QK2MX9PTF", "one of invite"),
    ("rally://mission/", "one of mission"), ("rally://mission/x", "one of mission"),
    ("rally://invite/", "A code has"), ("rally://invite/7QK2MX9PTF/..", "A code has"),
    ("rally://invite/7QK2MX9PTF\n", "no link has"), ("rally://invite/\u{1B}[31m", "no link has"),
    ("rally://invite/7QK2MX9PTF ", "no link has"), ("rally://invite/\u{202E}x", "no link has"),
    ("rally://invite/7QK2MX9PTF?server=ftp%3A%2F%2Fx", "http"),
    ("rally://invite/" + String(repeating: "7", count: 3000), "2048"),
    ("\u{1B}]0;x\u{7}:y", "no link has"),
  ])
  func `everything else is refused by name`(text: String, says: String) {
    do {
      let link = try RallyLink(text)
      Issue.record("taken: \(link)")
    } catch {
      #expect(error.sentence.contains(says), "\(error.sentence)")
      #expect(HostileText.forbidden(in: error.sentence) == [])
    }
  }

  // MARK: - The socket

  private func folders(_ folder: TemporaryFolder) throws -> RallyFolders {
    try RallyFolders(
      data: folder.file("data"), environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
  }

  @Test func `links come to the client that listens, and to nobody else`() async throws {
    let folder = try TemporaryFolder()
    let socket = ClientSocket(folders: try folders(folder))
    #expect(!socket.open("rally://invite/7QK2MX9PTF"))
    var links = try socket.links().makeAsyncIterator()
    let attributes = try FileManager.default.attributesOfItem(atPath: socket.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(socket.open("rally://invite/7QK2MX9PTF"))
    #expect(await links.next() == "rally://invite/7QK2MX9PTF")
    // A later client takes the place of one that died.
    var later = try socket.links().makeAsyncIterator()
    #expect(socket.open("rally://invite/AAAAAAAAAA"))
    #expect(await later.next() == "rally://invite/AAAAAAAAAA")
  }

  @Test func `one client of a profile acts at a time, and the next follows it`() async throws {
    let folder = try TemporaryFolder()
    let lock = ClientLock(folders: try folders(folder))
    #expect(!lock.isHeld)
    let watched = try await holder(in: folder)
    #expect(lock.isHeld)
    async let free: Void = lock.waitUntilFree()
    watched.signal(SIGKILL)
    await free
    // Not beside the wait above: whoever takes it has it until the process ends.
    let followed = try await holder(in: folder)
    async let isTaken = lock.take()
    followed.signal(SIGKILL)
    #expect(await isTaken)
    #expect(lock.isHeld)
  }

  /// Another process that has the lock.
  private func holder(in folder: TemporaryFolder) async throws -> RunningCommand {
    let holder = try RunningCommand(
      "flock",
      [
        "--no-fork", try folders(folder).profileState + "/client.lock", "sh", "-c",
        "echo held; exec sleep 600",
      ],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(try await holder.firstLine() == "held")
    return holder
  }
}
