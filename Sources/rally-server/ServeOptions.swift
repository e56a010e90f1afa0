import Foundation
import Logging
import RallyCommand
import RallyDomain
import RallyRules
import RallyServer
import RallyStreets
import RallySystem
import RallyText
import RallyWire

extension ServeOptions {
  /// The standard budgets with the operator's changes.
  ///
  /// - Throws: `VerbFailure` with `usage` about the first invalid one.
  func budgets(changing standard: Budgets = .standard) throws(VerbFailure) -> Budgets {
    var budgets = standard
    for text in budget {
      do throws(Budgets.Problem) {
        try budgets.apply(text)
      } catch {
        throw VerbFailure(.usage, error.sentence)
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
    guard let archive = try TileArchives.open(path) as? PMTilesArchive else {
      throw VerbFailure(
        .usage, "Only PMTiles can be offered: parts of an MBTiles file cannot be fetched.",
        advice:
          "`rally map add \(path.shellWord)` makes a PMTiles file of it, which `rally map info` names."
      )
    }
    try archive.checkTiles()
    return URL(filePath: path).standardizedFileURL.path
  }

  var logger: Logger { Self.logger(LogFormat(logFormat), from: logLevel) }

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
      return "“\(text.cleanedForDisplay)” is not a budget: write NAME=VALUE, like"
        + " \(Budget.searchesPerPerson.rawValue)=300."
    case .unknownName(let name):
      let near = NameSuggestion.of(name, among: Budget.allCases.map(\.rawValue))
      return "There is no budget “\(name.cleanedForDisplay)”. "
        + (near.map { "Did you mean \($0)?" } ?? "`rally serve budgets` lists them.")
    case .badValue(let text, let budget):
      return
        "“\(text.cleanedForDisplay)” is not a value for \(budget.rawValue): give a whole number"
        + " from 1 to \(Budgets.largest)."
    }
  }
}

extension LogFormat {
  fileprivate init(_ style: ServeOptions.LogStyle) {
    self =
      switch style {
      case .text: .text
      case .json: .json
      }
  }
}
