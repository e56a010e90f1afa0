import Foundation
import RallyTestSupport
import RallyWire

/// A `rally serve` of its own, and the machines of the people on it.
final class ServedRally: Sendable {
  let folder: TemporaryFolder
  let command: RunningCommand
  let announcement: ServerAnnouncement

  /// - Parameter options: More of `rally serve`.
  init(_ options: String...) async throws {
    folder = try TemporaryFolder()
    command = try RunningCommand(
      RallyBinary.required(),
      ["serve", "--data", folder.file("server"), "--host", "127.0.0.1", "--port", "0", "--json"]
        + options,
      environment: folder.environment)
    let line = try await command.firstLine()
    announcement = try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8))
  }

  deinit { command.signal(SIGKILL) }

  /// A new machine that talks to this server.
  func home() throws -> Home {
    try Home(flags: ["--server", announcement.url, "--key", announcement.key], server: self)
  }

  /// A new machine with an account on this server.
  func home(_ username: String, displayName: String? = nil) async throws -> Home {
    let home = try home()
    try await home.signUp(username, displayName: displayName)
    return home
  }

  /// Makes two people friends.
  func befriend(_ one: Home, _ other: Home, named: (String, String)) async throws {
    try await one.must("friends", "add", named.1)
    try await other.must("friends", "accept", named.0)
  }
}
