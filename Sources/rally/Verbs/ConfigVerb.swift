import ArgumentParser
import FoundationEssentials
import Glibc
import RallyCommand
import RallyDomain
import RallySystem
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
      ConfigEditVerb.self, ConfigSetVerb.self, ConfigUnsetVerb.self,
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
      and ends with 1 when there is something. Messages name what config.toml overrides of \
      settings.toml, where `rally config set` and the settings of the interface keep theirs.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let opened = try await OpenedConfiguration(global)
    let output = Output(options: global)
    if global.json {
      try output.json(opened.problems.map(ProblemRow.init))
    } else {
      for problem in opened.problems { output.data(problem.description) }
    }
    for override in opened.reading.overrides { output.message(override.description) }
    switch (opened.problems.count, opened.isMissing) {
    case (0, true):
      output.message(
        "There is no \(opened.service.file): everything has its default"
          + (opened.keepsSettings ? ", or what settings.toml beside it keeps." : "."))
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
    Output(options: global).data(try global.configurationService().file)
  }
}

struct ConfigDumpVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Print the configuration in effect, with every setting.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let opened = try await OpenedConfiguration(global)
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
    let service = try global.configurationService()
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

struct ConfigSetVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a setting.",
    discussion: """
      It is kept in settings.toml beside config.toml. That file is Rally's, config.toml is yours: \
      what config.toml sets wins, and is never changed. A running interface takes the setting at \
      once where it can. With --config FILE that file counts alone, so nothing is kept.

      Write a value as TOML, or a text without its quotes: rally config set interface.theme dark, \
      rally config set notifications.mute '["kenji"]'. Secrets are refused.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The setting, as interface.theme.",
    completion: .list(ConfigurationSetting.all.map(\.name))) var key: String
  @Argument(
    help: "The value.",
    completion: .custom { words, _, _ in
      ConfigurationSetting.all.first { words.contains($0.name) }?.choices ?? []
    }) var value: String

  func run() async throws {
    let setting = try KeptSettings.setting(key)
    let literal: String
    do throws(ConfigurationProblem) {
      literal = try setting.literal(
        typed: value, in: FileManager.default.currentDirectoryPath)
    } catch {
      throw VerbFailure(.usage, error.description)
    }
    let (reading, file) = try KeptSettings(global).keep(setting, literal)
    let output = Output(options: global)
    if let override = reading.overrides.first(where: { $0.name == setting.name }) {
      output.message("\(file) keeps \(setting.name) = \(literal), but it does not count:")
      output.message(override.description)
    } else {
      output.message("\(file) keeps \(setting.name) = \(literal).")
    }
  }
}

struct ConfigUnsetVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Forget a saved setting.",
    discussion: "What config.toml sets stays: that file is yours.")

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The setting, as interface.theme.",
    completion: .list(ConfigurationSetting.all.map(\.name))) var key: String

  func run() async throws {
    let setting = try KeptSettings.setting(key)
    let (reading, file) = try KeptSettings(global).keep(setting, nil)
    let value = setting.value(in: reading.configuration)
    Output(options: global).message(
      "\(file) keeps no \(setting.name). It is \(value) now.")
  }
}

/// The file that Rally keeps settings in.
private struct KeptSettings {
  private let service: ConfigurationService

  /// - Throws: `VerbFailure` where a configuration is named, which counts alone.
  init(_ global: GlobalOptions) throws {
    guard global.config == nil else {
      throw VerbFailure(
        .usage, "With --config that file counts alone, and nothing is kept.",
        advice: "Write the setting into it, or leave --config away.")
    }
    service = try global.configurationService()
  }

  /// - Throws: `VerbFailure` with the nearest name.
  static func setting(_ key: String) throws(VerbFailure) -> ConfigurationSetting {
    do throws(ConfigurationProblem) {
      return try ConfigurationSetting.named(key)
    } catch {
      throw VerbFailure(.usage, error.description)
    }
  }

  /// - Returns: What counts now, and the file that has it.
  func keep(
    _ setting: ConfigurationSetting, _ value: String?
  ) throws -> (reading: ConfigurationLoadResult, file: String) {
    do {
      let reading = try service.keep([KeptSetting(setting, value: value)])
      return (reading, service.settingsFile ?? "")
    } catch let problem as ConfigurationProblem {
      throw VerbFailure(.failed, problem.description)
    }
  }
}

/// The configuration that the flags select, with its problems.
private struct OpenedConfiguration {
  let service: ConfigurationService
  let reading: ConfigurationLoadResult
  let keyMap: KeyMap

  init(_ global: GlobalOptions) async throws {
    service = try global.configurationService()
    reading = service.load()
    keyMap = await KeyMap(bindings: reading.configuration.keys, file: service.file)
  }

  var problems: [ConfigurationProblem] { service.problems(reading, keyMap) }
  var isMissing: Bool { !FileManager.default.fileExists(atPath: service.file) }
  var keepsSettings: Bool {
    service.settingsFile.map { FileManager.default.fileExists(atPath: $0) } == true
  }
}
