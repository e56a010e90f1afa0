import Foundation
import RallyTestSupport

/// A tmux of one's own, on a socket in a folder of one's own: a real terminal that can be asked.
struct Tmux: Sendable {
  let folder: TemporaryFolder
  private let socket: String

  /// Whether this machine has one; `Scripts/install-dependencies --tests` installs it.
  static let isInstalled = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin"]
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/tmux") }

  /// Starts a program in a window of 80 by 24 cells, or as given.
  init(
    _ command: [String], environment: [String: String] = [:], rows: Int = 24, columns: Int = 80
  ) async throws {
    folder = try TemporaryFolder()
    socket = folder.file("tmux")
    let variables = environment.sorted { $0.key < $1.key }.flatMap {
      ["-e", "\($0.key)=\($0.value)"]
    }
    try await tmux(
      ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
        + variables + command)
  }

  @discardableResult
  private func tmux(_ arguments: [String]) async throws -> String {
    var environment = folder.environment
    environment["TERM"] = "xterm-256color"
    let run = try await CommandRun.of(
      "tmux", ["-S", socket] + arguments, environment: environment)
    guard run.succeeded else { throw ProcessFailure(run.description) }
    return run.output
  }

  /// Presses keys by tmux's names for them.
  func send(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

  /// Types text as it is.
  func type(_ text: String) async throws { try await tmux(["send-keys", "-l", text]) }

  /// The rows of the screen as they are.
  func screen() async throws -> [String] {
    try await tmux(["capture-pane", "-p"]).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  /// Waits until the screen fulfils a condition, and gives it.
  @discardableResult
  func waitUntil(
    _ what: String, _ condition: ([String]) -> Bool
  ) async throws -> [String] {
    var last: [String] = []
    do {
      try await eventually(what) {
        last = try await screen()
        return condition(last)
      }
    } catch {
      throw ProcessFailure("\(error)\n\(last.joined(separator: "\n"))")
    }
    return last
  }

  func end() async { _ = try? await tmux(["kill-server"]) }
}
