import RallySystem
import RallyTOML

/// A setting of `config.toml`: how it is read, written and documented.
public struct ConfigurationSetting: Sendable {
  /// The table: `interface`.
  public let section: String
  public let key: String
  /// Documentation, in sentences.
  public let summary: String
  /// The allowed values, for the manual.
  public let values: String
  /// Whether a change takes effect at once; otherwise at the next start.
  public let isLive: Bool
  /// All values, unquoted; empty where they cannot be listed.
  public var choices: [String] = []
  /// Applies a value; returns an error sentence, or nil on success.
  let read: @Sendable (TOMLValue, ConfigurationFile, inout Configuration) -> String?
  /// The value as TOML writes it.
  let write: @Sendable (Configuration) -> String

  /// `interface.theme`.
  public var name: String { "\(section).\(key)" }

  /// The default value, as TOML.
  public var defaultValue: String { write(Configuration()) }

  /// The value in a configuration, as TOML.
  public func value(in configuration: Configuration) -> String { write(configuration) }
}

/// The file being read; resolves relative paths in values.
struct ConfigurationFile {
  var path: String
  /// Whether it is the file that Rally itself keeps settings in.
  var isKept = false
}

extension ConfigurationSetting {
  /// A setting with a fixed set of words.
  static func word<Value: RawRepresentable & CaseIterable & Sendable>(
    _ section: String, _ key: String, _ summary: String, isLive: Bool = true,
    _ path: any WritableKeyPath<Configuration, Value> & Sendable
  ) -> ConfigurationSetting where Value.RawValue == String {
    let words = Value.allCases.map { "\"\($0.rawValue)\"" }.listed
    return ConfigurationSetting(
      section: section, key: key, summary: summary, values: words, isLive: isLive,
      choices: Value.allCases.map(\.rawValue)
    ) { value, _, configuration in
      guard let word = value.text.flatMap({ Value(rawValue: $0) }) else {
        return "Set \(key) to \(words)."
      }
      configuration[keyPath: path] = word
      return nil
    } write: {
      "\"\($0[keyPath: path].rawValue)\""
    }
  }

  static func flag(
    _ section: String, _ key: String, _ summary: String, isLive: Bool = true,
    _ path: any WritableKeyPath<Configuration, Bool> & Sendable
  ) -> ConfigurationSetting {
    ConfigurationSetting(
      section: section, key: key, summary: summary, values: "true or false", isLive: isLive,
      choices: ["true", "false"]
    ) { value, _, configuration in
      guard case .flag(let flag) = value else { return "Set \(key) to true or false." }
      configuration[keyPath: path] = flag
      return nil
    } write: {
      $0[keyPath: path] ? "true" : "false"
    }
  }

  /// An override of a device signal.
  static func signal(_ signal: PolicySignal, _ summary: String) -> ConfigurationSetting {
    ConfigurationSetting(
      section: "policy", key: signal.name.replacing("-", with: "_"), summary: summary,
      values: signal.settings.map { "\"\($0)\"" }.listed, isLive: true, choices: signal.settings
    ) { value, _, configuration in
      let setting =
        if case .flag(let flag) = value { flag ? "on" : "off" } else { value.text ?? "" }
      do throws(PolicyOverrideProblem) {
        try configuration.policy.set(signal, to: setting)
        return nil
      } catch {
        return error.advice
      }
    } write: {
      "\"\($0.policy.setting(of: signal) ?? "auto")\""
    }
  }
}

extension [String] {
  /// `a, b or c`.
  var listed: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}

/// Suggests a name for a misspelled one.
public enum NameSuggestion {
  /// The most similar name, if the edit distance is at most a third of the longer name's length.
  public static func of(_ written: String, among names: some Sequence<String>) -> String? {
    let letters = Array(folded(written))
    var best: (name: String, distance: Int)?
    for name in names {
      let other = Array(folded(name))
      let distance = distance(letters, other)
      guard distance * 3 <= max(letters.count, other.count) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (name, distance) }
    }
    return best?.name
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().replacing("_", with: "-")
  }

  /// Optimal string alignment: Levenshtein distance with a swap of neighbours as one edit.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var least = min(rows[i][j] + (one[i] == other[j] ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}

/// Writes configuration files: the commented sample and the current settings.
public struct ConfigurationText {
  /// An action with configurable keys, as the interface defines it.
  public struct KeyLine: Sendable {
    public var action: String
    public var summary: String
    /// Key names in the configuration's syntax.
    public var keys: [String]

    public init(action: String, summary: String, keys: [String]) {
      self.action = action
      self.summary = summary
      self.keys = keys
    }

    /// `"a"`, `["g t", "]"]` or `"none"`.
    var value: String {
      let literals = keys.map(TOMLValue.literal)
      return switch literals.count {
      case 0: TOMLValue.literal(KeyBinding.none)
      case 1: literals[0]
      default: "[\(literals.joined(separator: ", "))]"
      }
    }
  }

  /// All settings with their defaults, each commented out with `#`.
  public static func sample(keys: [KeyLine]) -> String {
    var lines = comment(
      "The configuration of Rally. Every setting stands here with its default; take away the # "
        + "before one to change it. Rally reads this file and never writes it; rally config check "
        + "examines it, rally-config(5) explains it.")
    for section in ConfigurationSetting.sections {
      lines += ["", ""] + comment(ConfigurationSetting.summary(ofSection: section))
      lines.append("[\(section)]")
      for setting in ConfigurationSetting.all where setting.section == section {
        lines.append("")
        lines += comment("\(setting.summary) \(setting.values.capitalizedFirst).")
        lines.append("#\(setting.key) = \(setting.defaultValue)")
      }
      guard section == ConfigurationSetting.keysSection else { continue }
      for line in keys {
        lines.append("")
        lines += comment(line.summary)
        lines.append("#\(line.action) = \(line.value)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// All settings of a configuration, which read back as the same configuration.
  public static func dump(_ configuration: Configuration, keys: [KeyLine]) -> String {
    var lines: [String] = []
    for section in ConfigurationSetting.sections {
      if !lines.isEmpty { lines.append("") }
      lines.append("[\(section)]")
      for setting in ConfigurationSetting.all where setting.section == section {
        lines.append("\(setting.key) = \(setting.value(in: configuration))")
      }
      if section == ConfigurationSetting.keysSection {
        lines += keys.map { "\($0.action) = \($0.value)" }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let width = 78

  private static func comment(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "#"
      }
      line += " \(word)"
    }
    return lines + [line]
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
