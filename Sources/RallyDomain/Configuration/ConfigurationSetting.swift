/// One thing that can be set in `config.toml`: how it is read, written and explained.
public struct ConfigurationSetting: Sendable {
  /// The table it stands in: `interface`.
  public let section: String
  public let key: String
  /// What it does, in sentences.
  public let summary: String
  /// What may be written, for the manual.
  public let values: String
  /// Whether a running Rally takes a change at once; else it counts from the next start.
  public let isLive: Bool
  /// Sets it; gives what is wrong and what to write instead, or nil.
  let read: @Sendable (ConfigurationValue, ConfigurationFile, inout Configuration) -> String?
  /// The value as TOML writes it.
  let write: @Sendable (Configuration) -> String

  /// The value that counts where nothing is written.
  public var defaultValue: String { write(Configuration()) }

  /// The value in a configuration, as TOML writes it.
  public func value(in configuration: Configuration) -> String { write(configuration) }
}

/// The file that is read, for values that are paths.
struct ConfigurationFile {
  var path: String
}

extension ConfigurationSetting {
  /// One of a few words.
  static func word<Value: RawRepresentable & CaseIterable & Sendable>(
    _ section: String, _ key: String, _ summary: String, isLive: Bool = true,
    _ path: any WritableKeyPath<Configuration, Value> & Sendable
  ) -> ConfigurationSetting where Value.RawValue == String {
    let words = Value.allCases.map { "\"\($0.rawValue)\"" }.listed
    return ConfigurationSetting(
      section: section, key: key, summary: summary, values: words, isLive: isLive
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
      section: section, key: key, summary: summary, values: "true or false", isLive: isLive
    ) { value, _, configuration in
      guard case .flag(let flag) = value else { return "Set \(key) to true or false." }
      configuration[keyPath: path] = flag
      return nil
    } write: {
      $0[keyPath: path] ? "true" : "false"
    }
  }

  /// What a person decided about a signal of the device.
  static func signal(_ signal: PolicySignal, _ summary: String) -> ConfigurationSetting {
    ConfigurationSetting(
      section: "policy", key: signal.name.replacing("-", with: "_"), summary: summary,
      values: signal.settings.map { "\"\($0)\"" }.listed, isLive: true
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
