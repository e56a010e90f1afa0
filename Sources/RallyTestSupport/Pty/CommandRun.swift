import Foundation

/// A finished run of a program with pipes: what it said and how it ended.
public struct CommandRun: Sendable, CustomStringConvertible {
  public let command: [String]
  public let status: ProcessEnd
  public let output: String
  public let errors: String

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - input: Its whole standard input, closed afterwards.
  ///   - timeout: Only a failure takes this long.
  /// - Throws: `ProcessFailure` when it cannot be started or does not end; then it is killed.
  public static func of(
    _ name: String, _ arguments: [String], environment: [String: String], input: String = "",
    folder: String? = nil, timeout: Duration = PtySession.patience
  ) async throws -> CommandRun {
    let running = try RunningCommand(
      name, arguments, environment: environment, folder: folder)
    running.write(input)
    running.closeInput()
    let status = try await running.waitForExit(timeout: timeout)
    let last = running.snapshot
    return CommandRun(
      command: [name] + arguments, status: status, output: last.outputText,
      errors: last.errorText)
  }

  /// Runs the `rally` that was built beside the tests.
  public static func rally(
    _ arguments: String..., environment: [String: String], input: String = "",
    timeout: Duration = PtySession.patience
  ) async throws -> CommandRun {
    try await of(
      RallyBinary.required(), arguments, environment: environment, input: input,
      timeout: timeout)
  }

  public var succeeded: Bool { status == .exited(0) }

  public var description: String {
    "\(command.joined(separator: " ")) \(status)\nstdout: \(output)\nstderr: \(errors)"
  }
}
