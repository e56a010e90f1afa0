import Foundation
import RallyServer
import RallyTestSupport
import RallyWire

/// A `rally serve` of its own, and the machines of the people on it.
final class ServedRally: Sendable {
  let folder: TemporaryFolder
  let command: RunningCommand
  let announcement: ServerAnnouncement
  /// Who signed its certificate; nil without TLS.
  let authority: TestAuthority?
  /// Of the operator's verbs: where its data are.
  private let place: [String]

  /// - Parameters:
  ///   - variables: Beside those of its folder.
  ///   - options: More of `rally serve`.
  init(adding variables: [String: String] = [:], _ options: String...) async throws {
    folder = try TemporaryFolder()
    authority = nil
    place = ["--data", folder.file("server")]
    command = try RunningCommand(
      RallyBinary.required(),
      ["serve", "--data", folder.file("server"), "--host", "127.0.0.1", "--port", "0", "--json"]
        + options,
      environment: folder.environment.merging(variables) { $1 })
    let line = try await command.firstLine()
    announcement = try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8))
    publicURL = announcement.url
  }

  /// How its group reaches it, for a browser that knows where that is (`Browser.init`).
  let publicURL: String

  /// One over TLS on a name, which says that it is reached there and is for people who are invited.
  ///
  /// - Parameter name: Another name than `localhost` leads nowhere but in a browser.
  init(
    securelyWith authority: TestAuthority, named name: String = "localhost", _ options: String...
  ) async throws {
    folder = try TemporaryFolder()
    self.authority = authority
    place =
      ["--data", folder.file("server")]
      + (options.firstIndex(of: "--database").map { Array(options[$0...].prefix(2)) } ?? [])
    let files = try await authority.certificate(
      for: Set(["DNS:localhost", "DNS:\(name)"]).sorted())
    let port = try SSHDaemon.freePort()
    command = try RunningCommand(
      RallyBinary.required(),
      [
        "serve", "--data", folder.file("server"), "--host", "127.0.0.1", "--port", "\(port)",
        "--tls-certificate", files.certificate, "--tls-key", files.key, "--signup", "invited",
        "--public-url", "https://\(name):\(port)", "--json",
      ] + options, environment: folder.environment.merging(["SSL_CERT_FILE": authority.path]) { $1 }
    )
    let line = try await command.firstLine()
    var announcement = try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8))
    announcement.url = "https://localhost:\(port)"
    publicURL = "https://\(name):\(port)"
    self.announcement = announcement
  }

  deinit { command.signal(SIGKILL) }

  /// A new machine that talks to this server.
  func home() throws -> Home {
    var home = try stranger()
    home.flags = ["--server", announcement.url, "--key", announcement.key]
    return home
  }

  /// A new machine on which nothing is known of this server but who signs certificates.
  func stranger() throws -> Home {
    var home = try Home(server: self)
    if let authority { home.variables["SSL_CERT_FILE"] = authority.path }
    return home
  }

  /// A link of the operator for one person.
  func firstLink() async throws -> String {
    let run = try await CommandRun.of(
      RallyBinary.required(), ["serve", "invite"] + place,
      environment: folder.environment)
    guard run.succeeded else { throw ProcessFailure(run.description) }
    return run.output.trimmingCharacters(in: .newlines)
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
