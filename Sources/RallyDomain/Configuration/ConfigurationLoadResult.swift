import FoundationEssentials
import RallySystem
import RallyTOML
import RallyText
import RallyWire

/// The result of reading `config.toml` and, below it, `settings.toml`.
public struct ConfigurationLoadResult: Sendable, Hashable {
  public var configuration = Configuration()
  /// What was ignored, in line order.
  public var problems: [ConfigurationProblem] = []
  /// Whether one of the files was ignored as a whole because it could not be parsed.
  public var isBroken = false
  /// What `settings.toml` keeps and `config.toml` sets too, in the order of the settings.
  public var overrides: [ConfigurationOverride] = []
  /// The bytes of the files; nil for one that is not there.
  var contents: [Data?] = []
  /// Where each setting stands that was taken, by its name.
  var assignments: [String: SourcePosition] = [:]

  /// - Parameter configuration: The settings to use if no file was read.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// - Parameter base: What counts without the file.
  static func broken(
    _ file: ConfigurationFile, _ place: SourcePosition? = nil, _ sentence: String,
    over base: Configuration
  ) -> Self {
    let problem = ConfigurationProblem(file: file.path, place: place, sentence: sentence)
    var reading = Self(base)
    reading.problems = [problem]
    reading.isBroken = true
    return reading
  }
}

/// A setting that Rally keeps and the person's configuration sets too, which wins.
public struct ConfigurationOverride: Sendable, Hashable, CustomStringConvertible {
  /// `interface.theme`.
  public let name: String
  /// The path of the person's configuration, and where it sets the setting.
  public let file: String
  public let place: SourcePosition
  /// The file that Rally keeps settings in.
  let settingsFile: String

  public var description: String { sentence(file, settingsFile) }

  /// The description with the files' names instead of their paths, for a line on the screen.
  public var shortDescription: String { sentence(file.fileName, settingsFile.fileName) }

  private func sentence(_ file: String, _ settingsFile: String) -> String {
    "\(file.cleanedForDisplay):\(place): \(name) is set here, and wins over "
      + "\(settingsFile.cleanedForDisplay)."
  }
}

/// Reads the settings of a TOML table, key by key.
struct ConfigurationReader {
  let file: ConfigurationFile
  private let document: TOMLDocument
  private(set) var reading: ConfigurationLoadResult

  /// - Parameter base: What counts where the text says nothing.
  init(
    _ text: String, file: ConfigurationFile, over base: Configuration = Configuration()
  ) throws(TOMLProblem) {
    self.file = file
    reading = ConfigurationLoadResult(base)
    document = try TOMLDocument(text)
    for (section, value) in document.entries { read(value, section) }
    reading.configuration.keys.sort { one, other in
      switch (one.place, other.place) {
      case (let one?, let other?): one < other
      default: one.action < other.action
      }
    }
    reading.problems.sort {
      let (one, other) = ($0.place?.line ?? .max, $1.place?.line ?? .max)
      return (one, $0.place?.column ?? 0, $0.sentence) < (other, $1.place?.column ?? 0, $1.sentence)
    }
  }

  private mutating func report(_ path: [String], _ sentence: String) {
    reading.problems.append(
      ConfigurationProblem(
        file: file.path, place: document.position(of: path), sentence: sentence.cleanedForDisplay))
  }

  private mutating func read(_ value: TOMLValue, _ section: String) {
    guard ConfigurationSetting.sections.contains(section) else {
      return report([section], unknownSection(section, value))
    }
    guard case .table(let entries) = value else {
      return report([section], "Write [\(section)] on a line of its own and its keys below.")
    }
    if section == ConfigurationSetting.keysSection {
      guard !file.isKept else {
        return report([section], "Keys are yours to bind. Move this to config.toml.")
      }
      for (key, value) in entries { readKeys(value, at: [section, key]) }
      return
    }
    for (key, value) in entries {
      let setting = ConfigurationSetting.all.first { $0.section == section && $0.key == key }
      guard let setting else {
        report([section, key], unknownKey(key, section))
        continue
      }
      if let sentence = setting.read(value, file, &reading.configuration) {
        report([section, key], sentence)
      } else {
        reading.assignments[setting.name] = document.position(of: [section, key])
      }
    }
  }

  /// Reads an entry of `[keys]`; dots in an action's id make it nested tables.
  private mutating func readKeys(_ value: TOMLValue, at path: [String]) {
    switch value {
    case .table(let entries):
      for (key, value) in entries { readKeys(value, at: path + [key]) }
    case .text(let text):
      bind(text == KeyBinding.none ? [] : [.init(text, place: document.position(of: path))], path)
    case .list(let values):
      let texts = values.compactMap(\.text)
      guard texts.count == values.count, !texts.contains(KeyBinding.none) else {
        return report(path, "Write a list of keys in quotes, like [\"g g\", \"Home\"].")
      }
      bind(
        texts.enumerated().map { .init($1, place: document.position(of: $0, in: path)) }, path)
    case .flag, .other:
      report(path, "Write a key in quotes, like \"^K\", a list of them, or \"none\".")
    }
  }

  private mutating func bind(_ keys: [KeyBinding.Keys], _ path: [String]) {
    reading.configuration.keys.append(
      KeyBinding(
        action: path.dropFirst().joined(separator: "."), keys: keys,
        place: document.position(of: path)))
  }

  // MARK: Suggestions for misspelled names

  private func unknownSection(_ name: String, _ value: TOMLValue) -> String {
    let sections = ConfigurationSetting.sections
    let list =
      "The sections are \(sections.dropLast().joined(separator: ", ")) and \(sections.last ?? "")."
    if case .table = value {
      guard let near = NameSuggestion.of(name, among: sections) else {
        return "Unknown section \(name). \(list)"
      }
      return "Unknown section \(name). Did you mean \(near)?"
    }
    let settings = ConfigurationSetting.all
    guard let near = NameSuggestion.of(name, among: settings.map(\.key)),
      let setting = settings.first(where: { $0.key == near })
    else { return "Unknown key \(name). \(list)" }
    return "Unknown key \(name). Did you mean \(near) in [\(setting.section)]?"
  }

  private func unknownKey(_ name: String, _ section: String) -> String {
    let keys = ConfigurationSetting.all.filter { $0.section == section }.map(\.key)
    if let near = NameSuggestion.of(name, among: keys) {
      return "Unknown key \(name) in [\(section)]. Did you mean \(near)?"
    }
    return "Unknown key \(name) in [\(section)]. Use \(keys.listed)."
  }
}

extension TOMLDocument {
  /// Where a key stands, or the innermost table around it that has a place.
  fileprivate func position(of path: [String]) -> SourcePosition? {
    var path = path
    while !path.isEmpty {
      if let place = place(of: path) { return SourcePosition(place) }
      path.removeLast()
    }
    return nil
  }

  fileprivate func position(of index: Int, in path: [String]) -> SourcePosition? {
    position(of: path + [Self.element(index)])
  }
}

extension SourcePosition {
  fileprivate init(_ place: TOMLDocument.Place) {
    self.init(line: place.line, column: place.column)
  }
}

extension TOMLProblem: ReportableError {
  package var logDetail: String { "TOML \(line):\(column)" }
}

/// A setting in `config.toml` that was ignored because of an error.
public struct ConfigurationProblem: ReportableError, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Nil if the problem belongs to no single line.
  public let place: SourcePosition?
  /// What is wrong and what to write instead.
  public let sentence: String

  public init(file: String, place: SourcePosition?, sentence: String) {
    self.file = file
    self.place = place
    self.sentence = sentence
  }

  /// Counted from 1.
  public var line: Int? { place?.line }

  /// The description with the file name instead of the path, for a line on the screen.
  public var shortDescription: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return Self(file: name, place: place, sentence: sentence).description
  }

  /// `FILE:LINE:COLUMN: sentence`, the format that editors can jump to.
  public var description: String {
    "\(file.cleanedForDisplay)\(place.map { ":\($0)" } ?? ""): \(sentence)"
  }
}

/// A line and column in a text file.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// Counted from 1, in Unicode scalars.
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (one: Self, other: Self) -> Bool {
    (one.line, one.column) < (other.line, other.column)
  }

  public var description: String { "\(line):\(column)" }
}
