import ArgumentParser
import Foundation
import Logging
import RallyDomain
import RallyServer
import RallyStreets
import RallyText
import RallyWire

/// How a server is run, monitored and stopped.
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

  @Option(
    help: ArgumentHelp(
      "Change a budget; may be given several times. `rally serve budgets` lists them.",
      valueName: "name=value"))
  var budget: [String] = []

  @Option(
    help: ArgumentHelp(
      "Offer streets to the group: a PMTiles file, taken by `rally map add --from-server`.",
      valueName: "file"), completion: .file(extensions: ["pmtiles"]))
  var streets: String?

  func validate() throws {
    _ = try budgets(changing: .standard)
    if let metricsPort, !(0...65_535).contains(metricsPort) {
      throw ValidationError("There is no port \(metricsPort); give one up to 65535.")
    }
    guard (0...3600).contains(drain) else {
      throw ValidationError("--drain takes 0 to 3600 seconds.")
    }
  }

  /// - Throws: `ValidationError` about the first invalid budget.
  private func budgets(changing standard: Budgets) throws -> Budgets {
    var budgets = standard
    for text in budget {
      do throws(Budgets.Problem) {
        try budgets.apply(text)
      } catch {
        throw ValidationError(error.sentence)
      }
    }
    return budgets
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.budgets = try budgets(changing: configuration.budgets)
    configuration.signUpPolicy = signup
    configuration.drainTime = .seconds(drain)
    configuration.streets = try streets.map(Self.archive)
    configuration.metrics = metricsPort.map { .tcp(host: metricsHost, port: $0) }
  }

  /// The absolute path of an archive that can be offered.
  private static func archive(_ path: String) throws -> String {
    guard try TileArchives.open(path) is PMTilesArchive else {
      throw VerbFailure(
        .usage, "Only PMTiles can be offered: parts of an MBTiles file cannot be fetched.",
        advice: "`rally map add \(path)` makes a PMTiles file of it, which `rally map info` names.")
    }
    return URL(filePath: path).standardizedFileURL.path
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

extension Budgets.Problem {
  fileprivate var sentence: String {
    switch self {
    case .noAssignment(let text):
      return "“\(text.cleanedForDisplay)” is no budget: write NAME=VALUE, like"
        + " \(Budget.searchesPerPerson.rawValue)=300."
    case .unknownName(let name):
      let near = NameSuggestion.of(name, among: Budget.allCases.map(\.rawValue))
      return "There is no budget “\(name.cleanedForDisplay)”. "
        + (near.map { "Did you mean \($0)?" } ?? "`rally serve budgets` lists them.")
    case .badValue(let text, let budget):
      return "“\(text.cleanedForDisplay)” is no value for \(budget.rawValue): give a whole number"
        + " from 1 to \(Budgets.largest)."
    }
  }
}

extension SignUpPolicy: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
