import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@Suite struct SSHKeyJourneyTests {
  private let line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPEWjvQAvSzR1Njnk3WrxxBUJkWiyXKUdNfxPC0hXgF"

  @Test(arguments: [Size(width: 120, height: 40), Size(width: 60, height: 16)])
  func `a key is added by pasting it, and removed, from the settings on`(size: Size) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      ana.screen.type(":settings")
      ana.screen.press("Enter")
      await ana.screen.waitFor("SSH keys")
      ana.screen.press("s")
      await ana.screen.waitFor("None yet.")
      ana.screen.press("a")
      await ana.screen.waitFor("Add an SSH key")
      ana.screen.paste("-----BEGIN OPENSSH PRIVATE KEY-----")
      ana.screen.press("Enter")
      await ana.screen.waitFor("That is a private key")
      ana.screen.press("^U")
      ana.screen.paste("\(line) ana@laptop\u{1B}[31m\n")
      ana.screen.press("Enter")
      await ana.screen.waitFor("never used")
      #expect(ana.screen.contains("ana@laptop"))

      let service = ana.session.services.sshKeysService
      let keys = try await service.fetchKeys()
      #expect(keys.map(\.type) == ["ssh-ed25519"])
      let fingerprint = try #require(keys.first).fingerprint
      #expect(ana.screen.contains(fingerprint))
      ana.screen.press("x")
      await ana.screen.waitFor("It opens no new session.")
      ana.screen.press("y")
      await ana.screen.waitFor("None yet.")
      #expect(try await service.fetchKeys().isEmpty)
      await ana.close()
    }
  }

  @Test func `a server out of reach is said, and what was pasted stays`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.gate.fail("add_ssh_key", with: .timedOut)
      ana.screen.type(":ssh-keys")
      ana.screen.press("Enter")
      await ana.screen.waitFor("None yet.")
      ana.screen.press("a")
      await ana.screen.waitFor("Add an SSH key")
      ana.screen.paste(line)
      ana.screen.press("Enter")
      await ana.screen.waitUntil { ana.screen.contains("did not answer") }
      #expect(ana.screen.contains("hXgF"))
      await ana.close()
    }
  }
}
