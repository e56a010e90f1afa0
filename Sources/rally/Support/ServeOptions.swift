import ArgumentParser
import Foundation
import Logging
import RallyServer
import RallyWire

/// How a server is run, watched and ended.
struct ServeOptions: ParsableArguments {
  @Option(help: "Who may make an account: open, invited (with a member's code) or closed.")
  var signup = SignUpPolicy.open

  @Option(help: "Write the log as text or as json, one entry a line, on standard error.")
  var logFormat = LogFormat.text

  @Option(help: "What to log: debug, info (every request), notice, warning or error.")
  var logLevel = Logger.Level.warning

  @Option(help: "Answer /metrics and /health on this port as well; 0 lets the system choose.")
  var metricsPort: Int?

  @Option(help: "The address of --metrics-port; keep it where only you can ask.")
  var metricsHost = "127.0.0.1"

  @Option(help: "Seconds in which requests may be finished once the server is asked to end.")
  var drain = 10

  func validate() throws {
    if let metricsPort, !(0...65_535).contains(metricsPort) {
      throw ValidationError("There is no port \(metricsPort); give one up to 65535.")
    }
    guard (0...3600).contains(drain) else {
      throw ValidationError("--drain takes 0 to 3600 seconds.")
    }
  }

  func apply(to configuration: inout ServerConfiguration) {
    configuration.signUpPolicy = signup
    configuration.drainTime = .seconds(drain)
    configuration.metrics = metricsPort.map { .tcp(host: metricsHost, port: $0) }
  }

  var logger: Logger { Self.logger(logFormat, from: logLevel) }

  /// A logger on standard error.
  static func logger(_ format: LogFormat = .text, from level: Logger.Level = .warning) -> Logger {
    var logger = Logger(label: "server") { label in
      ServerLogHandler(label: label, format: format) { Output.write($0, to: STDERR_FILENO) }
    }
    logger.logLevel = level
    return logger
  }
}

extension SignUpPolicy: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
