import FoundationEssentials
import RallySystem
import RallyTOML
import RallyText

/// A setting with the value that it is kept with.
public struct KeptSetting: Sendable {
  public let setting: ConfigurationSetting
  /// As TOML writes it; nil forgets what was kept.
  public let value: String?

  public init(_ setting: ConfigurationSetting, value: String?) {
    (self.setting, self.value) = (setting, value)
  }
}

extension ConfigurationService {
  /// Keeps settings in `settings.toml`, which is made where there is none.
  ///
  /// All else that stands in the file stays, also what only another version understands.
  ///
  /// - Throws: `ConfigurationProblem` if the file was edited so that Rally cannot change it, or if
  ///   the configuration is one that the person named; `FileError` if it cannot be written.
  /// - Returns: What counts from now on.
  @discardableResult
  public func keep(_ changes: [KeptSetting]) throws -> ConfigurationLoadResult {
    guard let settingsFile else {
      throw ConfigurationProblem(
        file: file, place: nil,
        sentence: "Counts alone while it is given as --config. Write the setting into it.")
    }
    let folder = settingsFile.parentPath
    if !FileManager.default.fileExists(atPath: folder) { try PrivateFiles.makeFolder(folder) }
    let kept = ConfigurationFile(path: settingsFile, isKept: true)
    try PrivateFiles.update(settingsFile) { data in
      let former = try sound(data ?? Data(), kept)
      var text = SettingsText(data.map { String(decoding: $0, as: UTF8.self) })
      for change in changes { text.set(change.setting, to: change.value) }
      let content = Data(text.text.utf8)
      let changed = try sound(content, kept)
      // The file is the person's too: what was edited by hand may not be one setting a line.
      for setting in ConfigurationSetting.all {
        let change = changes.last { $0.setting.name == setting.name }
        let isAsMeant =
          if let change {
            change.value.map { $0 == setting.value(in: changed.configuration) }
              ?? (changed.assignments[setting.name] == nil)
          } else {
            setting.value(in: changed.configuration) == setting.value(in: former.configuration)
          }
        guard isAsMeant else {
          throw ConfigurationProblem(
            file: settingsFile, place: former.assignments[setting.name],
            sentence: "Was edited so that Rally cannot change it. Change it here, one key a line.")
        }
      }
      return (content == data ? nil : content, ())
    }
    return load()
  }

  private func sound(
    _ data: Data, _ file: ConfigurationFile
  ) throws(ConfigurationProblem) -> ConfigurationLoadResult {
    let reading = read(data, of: file, over: Configuration())
    if reading.isBroken, let problem = reading.problems.first { throw problem }
    return reading
  }
}

/// The text of `settings.toml`, changed line by line.
private struct SettingsText {
  private var lines: [String]

  /// - Parameter text: Nil for a new file.
  init(_ text: String?) {
    let text =
      text
      ?? "# Rally keeps settings here. config.toml beside it is yours, and what it sets wins.\n"
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if lines.last?.isEmpty == true { lines.removeLast() }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// - Parameter value: As TOML writes it; nil removes the line.
  mutating func set(_ setting: ConfigurationSetting, to value: String?) {
    // The text was read before it is changed.
    let document = try? TOMLDocument(text)
    let line = value.map { ["\(setting.key) = \($0)"] } ?? []
    if let place = document?.place(of: [setting.section, setting.key]) {
      lines.replaceSubrange(place.line - 1..<place.line, with: line)
    } else if let place = document?.place(of: [setting.section]) {
      lines.insert(contentsOf: line, at: place.line)
    } else if !line.isEmpty {
      lines += ["", "[\(setting.section)]"] + line
    }
  }
}

// MARK: - Values as they are typed

extension ConfigurationSetting {
  /// The setting of this name, `interface.theme`.
  ///
  /// - Throws: `ConfigurationProblem` with the nearest name.
  public static func named(_ name: String) throws(ConfigurationProblem) -> ConfigurationSetting {
    if let setting = all.first(where: { $0.name == name }) { return setting }
    let shown = name.cleanedForDisplay
    if name.split(separator: ".").first.map(String.init) == keysSection {
      throw ConfigurationProblem(
        file: shown, place: nil, sentence: "Keys are bound in config.toml: rally config edit.")
    }
    let near =
      all.first { $0.key == name }?.name ?? NameSuggestion.of(name, among: all.map(\.name))
    throw ConfigurationProblem(
      file: shown, place: nil,
      sentence: "There is no such setting. "
        + (near.map { "Did you mean \($0)?" } ?? "rally config dump prints all of them."))
  }

  /// The value as TOML writes it, from what somebody typed: TOML, or text without its quotes.
  ///
  /// - Parameter folder: Where paths start.
  /// - Throws: `ConfigurationProblem` for a value that the setting does not take, and for a secret,
  ///   which nobody should type where other people of this machine can read it.
  public func literal(
    typed: String, in folder: String
  ) throws(ConfigurationProblem) -> String {
    let file = ConfigurationFile(path: "\(folder)/settings.toml")
    let value = Self.value(typed)
    var configuration = Configuration()
    var sentence = value.flatMap { read($0, file, &configuration) }
    // A word that is also TOML, such as true, may be meant as text.
    if value == nil || sentence != nil {
      let asText = read(.text(typed), file, &configuration)
      if asText == nil || value == nil { sentence = asText }
    }
    func problem(_ sentence: String) -> ConfigurationProblem {
      ConfigurationProblem(file: name, place: nil, sentence: sentence)
    }
    if Self.looksSecret(typed) {
      throw problem(
        "This looks like a secret, which a command line shows to everybody on this machine. Put "
          + "it into a file of its own.")
    }
    if let sentence { throw problem(sentence.cleanedForDisplay) }
    if let path = configuration.serverKeyFile, !FileManager.default.fileExists(atPath: path) {
      throw problem("Names no file. Write the server's key into a file, and give its path.")
    }
    return self.value(in: configuration)
  }

  private static func value(_ typed: String) -> TOMLValue? {
    let text = "value = \(typed)"
    guard !typed.contains(where: \.isNewline), let document = try? TOMLDocument(text),
      document.entries.count == 1
    else { return nil }
    return document.entries.first?.value
  }

  /// Whether a text holds what programs take as a secret: a signed token, a password in an address
  /// or an argument.
  private static func looksSecret(_ text: String) -> Bool {
    let text = text.lowercased()
    let marks = ["password=", "passwd=", "token=", "secret=", "key=", "bearer ", "sb_secret_"]
    if marks.contains(where: text.contains) { return true }
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || "._-".contains($0)) }
    if words.contains(where: { $0.hasPrefix("eyj") && $0.count(where: { $0 == "." }) == 2 }) {
      return true
    }
    guard let address = text.firstRange(of: "://") else { return false }
    return text[address.upperBound...].prefix { $0 != "/" }.contains("@")
  }
}
