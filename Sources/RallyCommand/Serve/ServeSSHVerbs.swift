import ArgumentParser

/// Lets a group in over SSH, with OpenSSH's own server.
package struct ServeSSH: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "ssh", abstract: "Let your group in over SSH, with nothing installed.",
    subcommands: [ServeSSHSetup.self])

  package init() {}
}

package struct ServeSSHSetup: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Write what an sshd for your group needs.",
    discussion: """
      Writes into --into: sshd_config, a host key of its own, a unit for systemd, and door.json \
      (0600) with the secret by which this door proves itself to the server whose data lies in \
      --data. That sshd runs as a user without rights, lets in who has a key on the server \
      (`rally ssh-key add`), and gives them Rally and nothing else.

      Run it again after `rally serve rotate-secret`: door.json is written anew, and what is there \
      already otherwise stays.
      """)

  @OptionGroup package var global: GlobalOptions
  @OptionGroup package var place: ServeDatabase
  @Option(help: "The folder for the files.", completion: .directory)
  package var into = "/etc/rally/ssh"
  @Option(help: "The folder for the guests' private folders.", completion: .directory)
  package var guests: String?
  /// `--port` is the server's own, which the verb above takes wherever it stands.
  @Option(help: "The port to listen on.") package var sshPort = 2222
  @Option(help: "The address to listen on; all of them if left out.") package var listen: String?
  @Option(
    help: "The system's user that people log in to; without it yourself, or for root rally-ssh.")
  package var user: String?
  @Option(help: "The path of sshd.", completion: .file()) package var sshd = "/usr/sbin/sshd"
  @Flag(help: "Let keys that nobody has make an account, as far as --signup of the server allows.")
  package var newcomers = false
  @Flag(help: "Write sshd_config and the unit anew, also if they are there.")
  package var force = false

  package init() {}

  package func validate() throws {
    guard (1...65_535).contains(sshPort) else {
      throw ValidationError("There is no port \(sshPort); give one up to 65535.")
    }
  }
}
