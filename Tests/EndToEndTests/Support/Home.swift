import Foundation
import RallyDomain
import RallyTestSupport
import RallyText
import RallyWire

@testable import RallySystem

/// A person's machine: a folder with a home in it, and the real `rally`.
struct Home: Sendable {
  let folder: TemporaryFolder
  /// Flags for every call, such as the server's address or a profile.
  var flags: [String] = []

  /// What stands before `rally`, such as what enters a network of a test's own.
  var wrapper: [String] = []

  /// Whether nothing is remembered of an earlier visit; else the interface opens on the Friends tab,
  /// with the first steps done.
  var isFirstVisit = false

  /// The server it talks to, which lives as long as somebody needs it.
  var server: ServedRally?

  static let password = "correct horse battery"

  /// - Parameter folder: Of a machine that there is already.
  init(
    flags: [String] = [], server: ServedRally? = nil, folder: TemporaryFolder? = nil
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    self.flags = flags
    self.server = server
  }

  /// The same machine with an account of its own.
  func profile(_ name: String) -> Home {
    var other = self
    other.flags += ["--profile", name]
    return other
  }

  /// Variables beside those of the folder, such as a test's own authority.
  var variables: [String: String] = [:]

  var environment: [String: String] { folder.environment.merging(variables) { $1 } }

  func rally(
    _ arguments: String..., input: String = "", adding: [String: String] = [:]
  ) async throws -> CommandRun {
    try await run(arguments, input: input, adding: adding)
  }

  func run(
    _ arguments: [String], input: String = "", adding variables: [String: String] = [:]
  ) async throws -> CommandRun {
    let words = try line(arguments)
    return try await CommandRun.of(
      words[0], Array(words.dropFirst()), environment: environment.merging(variables) { $1 },
      input: input)
  }

  /// The words of a call.
  private func line(_ arguments: [String]) throws -> [String] {
    wrapper + [try RallyBinary.required()] + arguments + flags
  }

  /// Runs a verb that has to succeed.
  ///
  /// - Throws: `ProcessFailure` with all that was said when it does not.
  @discardableResult
  func must(_ arguments: String..., input: String = "") async throws -> CommandRun {
    let run = try await run(arguments, input: input)
    guard run.succeeded else { throw ProcessFailure(run.description) }
    return run
  }

  /// Makes an account, with the e-mail that a shared server asks for.
  @discardableResult
  func signUp(_ username: String, displayName: String? = nil) async throws -> CommandRun {
    var arguments = ["signup", "--email", "\(username)@example.org", "--username", username]
    if let displayName { arguments += ["--display-name", displayName] }
    arguments += ["--password-stdin", "--json"]
    let run = try await run(arguments, input: Self.password + "\n")
    guard run.succeeded else { throw ProcessFailure(run.description) }
    return run
  }

  /// Starts the interface in a terminal.
  ///
  /// - Parameter adding: Variables beside those of the folder.
  func open(
    rows: Int = 24, columns: Int = 80, adding: [String: String] = [:], _ arguments: String...
  ) async throws -> PtySession {
    if !isFirstVisit { try await remember() }
    let words = try line(arguments)
    return try await PtySession(
      words[0], Array(words.dropFirst()), environment: environment.merging(adding) { $1 },
      rows: rows, columns: columns, keeping: self)
  }

  /// Leaves what an earlier visit, which ended on the Friends tab, has left.
  @MainActor func remember() async throws {
    let profile = flags.firstIndex(of: "--profile").map { flags[$0 + 1] }
    let folders = try RallyFolders(profile: profile, environment: environment)
    let memory = InterfaceMemory(
      persistenceService: PersistenceService(folder: folders.profileState))
    await memory.restore()
    guard memory.doneSteps.isEmpty else { return }
    memory.note(.friends)
    memory.note(done: Set(FirstStep.allCases))
    await memory.save()
  }

  /// The interface as `make run` starts it: below a shell that waits for it.
  ///
  /// - Parameter before: What the shell does first; with `exec` at its end the program takes its place.
  func openBelowShell(before: String = "") async throws -> PtySession {
    if !isFirstVisit { try await remember() }
    let line = ([try RallyBinary.required()] + flags).map { "'\($0)'" }.joined(separator: " ")
    return try await PtySession(
      "/bin/sh", ["-c", "\(before) \(line); exit $?"], environment: environment, keeping: self)
  }

  /// The embedded servers of this machine that run now.
  var servers: [pid_t] { processes(with: "serve") }

  /// The processes of this machine that run now and have this word among their arguments.
  func processes(with word: String) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { pid_t($0) }.filter { process in
      guard let command = Self.strings("/proc/\(process)/cmdline"), command.contains(word),
        let environment = Self.strings("/proc/\(process)/environ")
      else { return false }
      return environment.contains("HOME=\(folder.file("home"))")
    }
  }

  private static func strings(_ path: String) -> [String]? {
    guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else { return nil }
    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension CommandRun {
  /// Standard output as one JSON document.
  func json() throws -> JSONValue { try WireJSON.decode(JSONValue.self, from: Data(output.utf8)) }
}
