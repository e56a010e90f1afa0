import Foundation
import RallyWire
import TOMLKit

/// Reads `config.toml`, which belongs to the person: Rally never writes it.
///
/// Nothing in the file can stop the program. What is unknown or wrong is passed over and said.
public final class ConfigurationService: Sendable {
  private let file: String

  /// - Parameter file: `$XDG_CONFIG_HOME/rally/config.toml`, as `RallyFolders` finds it.
  public init(file: String) { self.file = file }

  /// The configuration and what was passed over, by line; a missing file is no problem.
  public func load() -> (configuration: Configuration, problems: [ConfigurationProblem]) {
    var reading = ConfigurationReading(file: file)
    guard FileManager.default.fileExists(atPath: file) else { return (Configuration(), []) }
    guard let data = FileManager.default.contents(atPath: file) else {
      return (Configuration(), [reading.problem(nil, "Cannot be read. Check its permissions.")])
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      return (Configuration(), [reading.problem(nil, "Is not text in UTF-8. Save it as that.")])
    }
    do {
      reading.read(try TOMLTable(string: text), lines: ConfigurationLines(text))
    } catch let error as TOMLParseError {
      let line = error.source.begin.line
      return (
        Configuration(),
        [reading.problem(line, "Is not TOML: \(error.description.cleanedForDisplay).")]
      )
    } catch {
      return (Configuration(), [reading.problem(nil, "Is not TOML.")])
    }
    return (
      reading.configuration,
      reading.problems.sorted { ($0.line ?? .max, $0.sentence) < ($1.line ?? .max, $1.sentence) }
    )
  }

  /// The key in the file that `[server] key_file` names; nil where none is named.
  ///
  /// - Throws: `ConfigurationProblem` when the file holds no key.
  public func serverKey(
    of configuration: Configuration
  ) throws(ConfigurationProblem) -> String? {
    guard let path = configuration.serverKeyFile else { return nil }
    let data = FileManager.default.contents(atPath: path) ?? Data()
    let key = String(decoding: data, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    guard !key.isEmpty, !key.contains(where: \.isWhitespace) else {
      throw ConfigurationProblem(
        file: path, line: nil, sentence: "Holds no key. Put the server's key into it, alone.")
    }
    return key
  }
}

/// Takes a table of TOML apart, key by key.
private struct ConfigurationReading {
  let file: String
  var configuration = Configuration()
  var problems: [ConfigurationProblem] = []
  private var lines = ConfigurationLines("")

  init(file: String) { self.file = file }

  func problem(_ line: Int?, _ sentence: String) -> ConfigurationProblem {
    ConfigurationProblem(file: file, line: line, sentence: sentence)
  }

  mutating func read(_ table: TOMLTable, lines: ConfigurationLines) {
    self.lines = lines
    for section in table.keys {
      guard let content = table[section]?.table else {
        report([section], "Unknown key \(section). The sections are \(Self.sections).")
        continue
      }
      switch section {
      case "policy": each(content, section, ConfigurationReading.readPolicy)
      case "server": each(content, section, ConfigurationReading.readServer)
      case "interface": each(content, section, ConfigurationReading.readInterface)
      case "map": each(content, section, ConfigurationReading.readMap)
      default: report([section], "Unknown section \(section). The sections are \(Self.sections).")
      }
    }
  }

  private static let sections = "policy, server, interface and map"

  private mutating func each(
    _ table: TOMLTable, _ section: String,
    _ read: (inout ConfigurationReading, _ key: String, _ value: TOMLValue) -> String?
  ) {
    for key in table.keys {
      guard let value = table[key]?.tomlValue, let sentence = read(&self, key, value) else {
        continue
      }
      report([section, key], sentence)
    }
  }

  private mutating func report(_ path: [String], _ sentence: String) {
    problems.append(problem(lines.number(of: path), sentence.cleanedForDisplay))
  }

  // Each of these gives what is wrong, or nil.

  private static func readPolicy(
    _ reading: inout Self, _ key: String, _ value: TOMLValue
  ) -> String? {
    let signal = PolicySignal.allCases.first {
      $0.name.replacing("-", with: "_") == key
    }
    guard let signal else {
      return "Unknown key \(key) in [policy]. Use low_power, thermal, low_data, expensive"
        + " or network."
    }
    let setting = value.bool.map { $0 ? "on" : "off" } ?? value.string ?? ""
    do {
      try reading.configuration.policy.set(signal, to: setting)
      return nil
    } catch {
      return error.advice
    }
  }

  private static func readServer(
    _ reading: inout Self, _ key: String, _ value: TOMLValue
  ) -> String? {
    switch (key, value.string) {
    case ("url", let text?):
      do {
        reading.configuration.serverURL = try ServerURL(text)
      } catch {
        return error.advice
      }
    case ("key_file", let path?) where !path.isEmpty:
      reading.configuration.serverKeyFile = reading.absolute(path)
    case ("url", nil): return "Write url as text, like \"https://rally.example.org\"."
    case ("key_file", _): return "Write key_file as text: the path of a file."
    default: return "Unknown key \(key) in [server]. Use url or key_file."
    }
    return nil
  }

  private static func readInterface(
    _ reading: inout Self, _ key: String, _ value: TOMLValue
  ) -> String? {
    guard key == "color" else { return "Unknown key \(key) in [interface]. Use color." }
    guard let color = value.string.flatMap(ColorSetting.init) else {
      return "Set color to \"auto\", \"always\" or \"never\"."
    }
    reading.configuration.color = color
    return nil
  }

  private static func readMap(
    _ reading: inout Self, _ key: String, _ value: TOMLValue
  ) -> String? {
    guard key == "glyphs" else { return "Unknown key \(key) in [map]. Use glyphs." }
    guard let glyphs = value.string.flatMap(MapGlyphSetting.init) else {
      return "Set glyphs to \"auto\", \"braille\", \"blocks\" or \"ascii\"."
    }
    reading.configuration.mapGlyphs = glyphs
    return nil
  }

  /// A path as it stands in the file: `~` is the home folder, others start beside the file.
  private func absolute(_ path: String) -> String {
    if path == "~" || path.hasPrefix("~/") { return NSHomeDirectory() + path.dropFirst() }
    if path.hasPrefix("/") { return path }
    return (file as NSString).deletingLastPathComponent + "/" + path
  }
}

/// Finds the line on which a key of a TOML text stands, since the parser does not tell.
struct ConfigurationLines {
  private var numbers: [[String]: Int] = [:]

  init(_ text: String) {
    var section: [String] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = line.drop(while: \.isWhitespace)
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        section = Self.parts(line[line.index(after: line.startIndex)..<end])
        note(section, index + 1)
      } else if let equals = line.firstIndex(of: "="), !line.hasPrefix("#") {
        note(section + Self.parts(line[..<equals]), index + 1)
      }
    }
  }

  /// The line of a key, or of the innermost table around it that has one.
  func number(of path: [String]) -> Int? {
    var path = path
    while !path.isEmpty {
      if let number = numbers[path] { return number }
      path.removeLast()
    }
    return nil
  }

  /// The first mention of a path, and of the tables that it opens, counts.
  private mutating func note(_ path: [String], _ number: Int) {
    for count in path.indices {
      let table = Array(path[...count])
      if numbers[table] == nil { numbers[table] = number }
    }
  }

  private static func parts(_ name: some StringProtocol) -> [String] {
    name.split(separator: ".").map { part in
      part.trimmingCharacters(in: CharacterSet(charactersIn: " \t[]\"'"))
    }
  }
}
