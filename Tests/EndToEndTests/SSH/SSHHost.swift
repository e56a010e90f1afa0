import Foundation
import RallyTestSupport
import RallyWire

/// A host whose group comes in over SSH: a server, and sshd.
final class SSHHost: Sendable {
  let served: ServedRally
  let daemon: SSHDaemon

  /// - Parameter options: More of `rally serve ssh setup`.
  init(_ options: String...) async throws {
    served = try await ServedRally()
    daemon = try await SSHDaemon(
      data: served.folder.file("server"), server: served.announcement.url, options: options)
  }

  /// A person with an account and a key that comes in as it.
  func guest(_ username: String) async throws -> SSHGuest {
    let home = try await served.home(username)
    let guest = try await SSHGuest(host: self, home: home)
    try await home.must("ssh-key", "add", guest.keyFile + ".pub", "--name", "laptop")
    let claim = try await guest.ssh([], "claim", username)
    guard claim.succeeded else { throw ProcessFailure(claim.description) }
    return guest
  }

  /// A machine with a key that the server does not know.
  func stranger() async throws -> SSHGuest {
    try await SSHGuest(host: self, home: Home())
  }

  /// The processes that guests have on this host now.
  var sessions: [pid_t] { daemon.sessions }

  /// Everything below the guests' folders, by path relative to the daemon's.
  var guestFiles: [String] {
    daemon.folder.contents.filter { $0.hasPrefix("door/guests/") }
  }

  /// Whether sshd runs.
  var serves: Bool { daemon.process.snapshot.status == nil }
}

/// A person's machine with `ssh` and a key.
struct SSHGuest: Sendable {
  let host: SSHHost
  let home: Home

  var keyFile: String { home.folder.file("home/key") }

  init(host: SSHHost, home: Home) async throws {
    self.host = host
    self.home = home
    let made = try await CommandRun.of(
      "ssh-keygen",
      ["-q", "-t", "ed25519", "-N", "", "-C", "x", "-f", home.folder.file("home/key")],
      environment: home.environment)
    guard made.succeeded else { throw ProcessFailure(made.description) }
  }

  /// Arguments of ssh, scp and sftp.
  var options: [String] {
    host.daemon.options(key: keyFile, hosts: home.folder.file("known_hosts"))
  }

  /// Runs `ssh` without a terminal; options first, then the command.
  func ssh(
    _ options: [String] = [], _ command: String..., input: String = "",
    adding: [String: String] = [:]
  ) async throws -> CommandRun {
    try await CommandRun.of(
      "ssh", self.options + options + [SSHDaemon.address] + command,
      environment: home.environment.merging(adding) { $1 }, input: input)
  }

  /// Opens the interface.
  func open(
    _ options: [String] = [], adding: [String: String] = [:]
  ) async throws -> PtySession {
    try await PtySession(
      "ssh", self.options + ["-tt"] + options + [SSHDaemon.address],
      environment: home.environment.merging(adding) { $1 }, keeping: self)
  }
}
