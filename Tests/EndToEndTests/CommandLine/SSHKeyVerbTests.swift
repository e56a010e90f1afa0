import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct SSHKeyVerbTests {
    private static let key =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP"

    @Test func `a key is added from a file or standard input, listed and removed`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let file = ana.folder.file("key.pub")
      try "\(Self.key) ana@laptop\n".write(toFile: file, atomically: true, encoding: .utf8)
      let added = try await ana.must("ssh-key", "add", file, "--json").json()
      #expect(added["name"] == "ana@laptop")
      // As `ssh-keygen -l` prints it.
      #expect(added["fingerprint"] == "SHA256:3UzAu8Yg/0atMfXZPwEd1MIIFRKLS7TZOvLJg6ADLWE")
      #expect(added["last_used_at"] == .null)
      let again = try await ana.rally("ssh-key", "add", "-", "--name", "other", input: Self.key)
      #expect(again.status == .exited(5) && again.errors.contains("ana@laptop"))
      #expect(try await ana.must("ssh-key", "list").output.contains("ana@laptop  ssh-ed25519"))
      let ben = try await served.home("ben")
      // As a key of nobody's: it tells nothing of Ana.
      try await ben.must("ssh-key", "add", "-", input: Self.key)
      try await ana.must("ssh-key", "remove", "ana@laptop")
      #expect(try await ana.must("ssh-key", "list", "--json").json() == [])
    }

    @Test func `what is no public key is refused before the server is asked`() async throws {
      let home = try Home()
      let secret = try await home.rally(
        "ssh-key", "add", "-", input: "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n")
      #expect(secret.status == .exited(2) && secret.errors.contains("private key"))
      #expect(!secret.errors.contains("secret"))
      let missing = try await home.rally("ssh-key", "add", "/nowhere/key.pub")
      #expect(missing.status == .exited(1) && missing.errors.contains("no such file"))
    }

    @Test func `setup writes private files and keeps what was changed`() async throws {
      let served = try await ServedRally()
      let home = try Home()
      let (into, data) = (home.folder.file("door"), served.folder.file("server"))
      let user = getuid() == 0 ? "nobody" : NSUserName()
      let call = [
        "serve", "ssh", "setup", "--data", data, "--into", into, "--guests", into + "/guests",
        "--user", user, "--ssh-port", "2022",
      ]
      func setup(_ more: String...) async throws -> CommandRun {
        try await CommandRun.of(
          RallyBinary.required(), call + more, environment: home.environment)
      }
      let first = try await setup()
      #expect(first.succeeded, "\(first)")
      for file in ["door.json", "host_key"] {
        #expect(home.folder.permissions(of: "door/\(file)") == 0o600, "\(file)")
      }
      #expect(home.folder.permissions(of: "door/guests") == 0o700)
      func text(_ file: String) throws -> String {
        try String(contentsOfFile: "\(into)/\(file)", encoding: .utf8)
      }
      let config = try text("sshd_config")
      for line in [
        "Port 2022", "DisableForwarding yes", "PermitUserEnvironment no", "PermitUserRC no",
        "AuthenticationMethods publickey", "AuthorizedKeysFile none", "MaxSessions 1",
        "AcceptEnv COLORTERM LANG",
      ] {
        #expect(config.contains("\(line)\n"), "\(line)")
      }
      #expect(!config.contains("Subsystem"))
      for line in ["NoNewPrivileges=yes", "MemoryMax=50%"] {
        #expect(try text("rally-ssh.service").contains("\(line)\n"))
      }
      let (key, door) = (try text("host_key"), try text("door.json"))

      let second = try await setup()
      #expect(second.errors.contains("sshd_config was there and stays"))
      #expect(try text("host_key") == key)
      #expect(try text("door.json").contains("token") && door.contains("token"))
      let root = try await setup("--user", "root")
      #expect(root.status == .exited(2) && root.errors.contains("not be root"))
    }
  }
}
