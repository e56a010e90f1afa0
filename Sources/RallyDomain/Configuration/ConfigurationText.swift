import RallyTOML

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
