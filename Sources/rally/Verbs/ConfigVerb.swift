import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallyTUI
import RallyText
import RallyWire
import TerminalKit

/// Everything about the configuration, a file of the user's own.
struct ConfigVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Explain, examine and edit the configuration.",
    subcommands: [
      ConfigSampleVerb.self, ConfigCheckVerb.self, ConfigPathVerb.self, ConfigDumpVerb.self,
      ConfigEditVerb.self,
    ])
}

struct ConfigSampleVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample", abstract: "Print a configuration with every setting and its default.",
    discussion: """
      Every setting is switched off by a # right before it. To begin with it: \
      rally config sample > "$(rally config path)", or rally config edit.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    Output.write(
      ConfigurationText.sample(keys: ActionTable.rally.keyLines), to: STDOUT_FILENO)
  }
}

struct ConfigCheckVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Examine the configuration.",
    discussion: """
      Prints FILE:LINE:COLUMN and a sentence for everything that is unknown, wrong or in conflict, \
      and ends with 1 when there is something.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let opened = try OpenedConfiguration(global)
    let output = Output(options: global)
    if global.json {
      try output.json(opened.problems.map(ProblemRow.init))
    } else {
      for problem in opened.problems { output.data(problem.description) }
    }
    switch (opened.problems.count, opened.isMissing) {
    case (0, true):
      output.message("There is no \(opened.service.file): everything has its default.")
    case (0, false): output.message("\(opened.service.file) is in order.")
    case (let count, _):
      throw VerbFailure(
        .failed, count == 1 ? "There is one problem." : "There are \(count) problems.")
    }
  }

  private struct ProblemRow: Encodable {
    var file: String
    var line: Int?
    var column: Int?
    var problem: String

    init(_ problem: ConfigurationProblem) {
      file = problem.file
      line = problem.place?.line
      column = problem.place?.column
      self.problem = problem.sentence
    }
  }
}

struct ConfigPathVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Print where the configuration lies.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    Output(options: global).data(try OpenedConfiguration(global).service.file)
  }
}

struct ConfigDumpVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Print the configuration that counts, with nothing left out.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let opened = try OpenedConfiguration(global)
    let output = Output(options: global)
    for problem in opened.problems { output.message(problem.description) }
    let configuration = opened.reading.configuration
    if global.json {
      return try output.json(try document(configuration, opened.keyMap.table))
    }
    Output.write(
      ConfigurationText.dump(configuration, keys: opened.keyMap.table.keyLines), to: STDOUT_FILENO)
  }

  /// The settings by section. The TOML values written here are valid JSON as well.
  private func document(
    _ configuration: Configuration, _ table: ActionTable
  ) throws -> [String: [String: JSONValue]] {
    var document: [String: [String: JSONValue]] = [:]
    for setting in ConfigurationSetting.all {
      document[setting.section, default: [:]][setting.key] = try WireJSON.decode(
        JSONValue.self, from: Data(setting.value(in: configuration).utf8))
    }
    for line in table.keyLines {
      document[ConfigurationSetting.keysSection, default: [:]][line.action] = .array(
        line.keys.map { .string($0) })
    }
    return document
  }
}

struct ConfigEditVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit the configuration, and examine it afterwards.",
    discussion: """
      Opens $VISUAL, $EDITOR or vi. Where there is no file yet it begins with the sample; a file \
      that is there is never written by rally itself.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let service = try OpenedConfiguration(global).service
    let sample = ConfigurationText.sample(keys: ActionTable.rally.keyLines)
    if try service.createIfMissing(sample) {
      Output(options: global).message("Created \(service.file) from the sample.")
    }
    // The shell replaces this process, so that the editor has the terminal and the check runs
    // afterwards.
    let arguments = [
      "sh", "-c", "\(EditorService.choice) && exec \"$0\" config check --config \"$1\"",
      Setup.executable, service.file,
    ]
    var pointers = arguments.map { strdup($0) } + [nil]
    execv("/bin/sh", &pointers)
    throw VerbFailure(.failed, "/bin/sh cannot be started (errno \(errno)).")
  }
}

/// The configuration that the flags select, with its problems.
private struct OpenedConfiguration {
  let service: ConfigurationService
  let reading: ConfigurationLoadResult
  let keyMap: KeyMap

  init(_ global: GlobalOptions) throws {
    let folders = try RallyFolders(data: global.data, profile: global.profile)
    service = global.configurationService(in: folders)
    reading = service.load()
    keyMap = KeyMap(bindings: reading.configuration.keys, file: service.file)
  }

  var problems: [ConfigurationProblem] { service.problems(reading, keyMap) }
  var isMissing: Bool { !FileManager.default.fileExists(atPath: service.file) }
}
