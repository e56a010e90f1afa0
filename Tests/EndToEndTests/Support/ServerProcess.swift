import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire

@testable import RallyClient

/// `rally serve` on a folder of its own, which can be killed and started again at the same address.
actor ServerProcess {
  nonisolated let folder: TemporaryFolder
  /// What stands before `rally` on its command line.
  private let wrapper: [String]
  private let data: String
  private var command: RunningCommand?
  private(set) var announcement: ServerAnnouncement?

  /// - Parameters:
  ///   - data: The data folder; one in the temporary folder where it is nil.
  ///   - wrapper: A program and arguments that run the rest of the line.
  init(data: String? = nil, wrapper: [String] = []) throws {
    folder = try TemporaryFolder()
    self.data = data ?? folder.file("server")
    self.wrapper = wrapper
  }

  var processID: pid_t { command?.processID ?? 0 }

  /// Starts it, and returns once it answers.
  func start(_ arguments: String...) async throws { try await start(arguments) }

  func start(_ arguments: [String]) async throws {
    let port = announcement.flatMap { URLComponents(string: $0.url)?.port } ?? 0
    let line =
      wrapper + [
        try RallyBinary.required(), "serve", "--data", data, "--port", String(port), "--json",
      ] + arguments
    let command = try RunningCommand(
      line[0], Array(line.dropFirst()), environment: folder.environment)
    self.command = command
    let first = try await command.firstLine()
    announcement = try WireJSON.decode(ServerAnnouncement.self, from: Data(first.utf8))
  }

  /// Ends it without any notice.
  func kill() async throws {
    command?.signal(SIGKILL)
    try await command?.waitForExit()
  }

  @discardableResult
  func terminate() async throws -> ProcessEnd? {
    command?.signal(SIGTERM)
    return try await command?.waitForExit()
  }

  /// What was written to standard error.
  var errors: String { command?.snapshot.errorText ?? "" }

  /// A verb of `rally serve` on the same data.
  @discardableResult
  func run(_ arguments: String..., input: String = "") async throws -> CommandRun {
    try await CommandRun.of(
      RallyBinary.required(), ["serve"] + arguments + ["--data", data],
      environment: folder.environment, input: input)
  }

  /// A client of the server that is signed in to a new account.
  func person(_ username: String) async throws -> SupabaseClient {
    let client = try client()
    try await AuthService(client: client).signUp(
      email: "\(username)@example.org", password: Home.password, username: username)
    return client
  }

  /// A client that is not signed in.
  func client() throws -> SupabaseClient {
    guard let announcement else { throw ProcessFailure("not started") }
    let address = ServerAddress(
      endpoint: .url(try ServerURL(announcement.url)), key: announcement.key)
    return SupabaseClient(tokens: nil) { address }
  }

  deinit { command?.signal(SIGKILL) }
}
