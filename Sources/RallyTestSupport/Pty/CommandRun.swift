import Foundation

/// The output and exit status of a program that ran with pipes.
public struct CommandRun: Sendable, CustomStringConvertible {
  public let command: [String]
  public let status: ProcessEnd
  public let output: String
  public let errors: String

  /// - Parameters:
  ///   - input: The whole standard input, closed afterwards.
  ///   - timeout: Only reached on failure.
  /// - Throws: `ProcessFailure` if it cannot be started or does not end in time; then it is killed.
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

  /// Runs the `rally` binary built with the tests.
  ///
  /// - Throws: `ProcessFailure` if it was not built or does not end in time.
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
