import ArgumentParser
import Logging
import RallyWire

/// How a server is run, monitored and stopped.
package struct ServeOptions: ParsableArguments {
  /// How log lines are written.
  package enum LogStyle: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @Option(help: "Who may make an account: open, invited (with a member's code) or closed.")
  package var signup = SignUpPolicy.open

  @Option(help: "Write the log as text or as json, one entry a line, on standard error.")
  package var logFormat = LogStyle.text

  @Option(help: "What to log: debug, info (every request), notice, warning or error.")
  package var logLevel = Logger.Level.warning

  @Option(help: "Answer /metrics and /health on this port as well; 0 lets the system choose.")
  package var metricsPort: Int?

  @Option(help: "The address of --metrics-port; keep it where only you can ask.")
  package var metricsHost = "127.0.0.1"

  @Option(help: "Seconds in which requests may be finished once the server is asked to end.")
  package var drain = 10

  @Option(
    help: ArgumentHelp(
      "Change a budget; may be given several times. `rally serve budgets` lists them.",
      valueName: "name=value"))
  package var budget: [String] = []

  @Option(
    help: ArgumentHelp(
      "Offer streets to the group: a PMTiles file, taken by `rally map add --from-server`.",
      valueName: "file"), completion: .file(extensions: ["pmtiles"]))
  package var streets: String?

  package init() {}

  package func validate() throws {
    if let metricsPort, !(0...65_535).contains(metricsPort) {
      throw ValidationError("There is no port \(metricsPort); give one up to 65535.")
    }
    guard (0...3600).contains(drain) else {
      throw ValidationError("--drain takes 0 to 3600 seconds.")
    }
  }
}

extension SignUpPolicy: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
