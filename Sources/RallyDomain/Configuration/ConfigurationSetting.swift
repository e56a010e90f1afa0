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
