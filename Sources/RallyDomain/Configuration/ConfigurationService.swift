import FoundationEssentials
import Glibc
import RallySystem
import RallyTOML
import RallyText
import RallyWire
import Synchronization

/// Reads `config.toml`, which belongs to the person: Rally never writes over it. Below it counts
/// `settings.toml` beside it, which is Rally's own (`keep`).
///
/// Nothing in the files can stop the program. What is unknown or wrong is passed over and said.
public final class ConfigurationService: Sendable {
  public let file: String
  /// Where Rally keeps settings; nil if the person named the configuration, which then counts alone.
  public let settingsFile: String?
  /// Whether the person named the file, who then means one that is there.
  private let isNamed: Bool
  /// What a pipe gave, which cannot be read twice.
  private let piped = Mutex<Data?>(nil)

  /// - Parameters:
  ///   - file: `$XDG_CONFIG_HOME/rally/config.toml`, as `RallyFolders` finds it, or the one of
  ///     `--config`; also a pipe, as shells make of `<(…)`.
  ///   - isNamed: Whether it is that of `--config`.
  public init(file: String, isNamed: Bool = false) {
    self.file = file
    self.isNamed = isNamed
    settingsFile = isNamed ? nil : "\(file.parentPath)/settings.toml"
  }

  /// The configuration and what was passed over, by line; a missing file is a problem only if it was
  /// named.
  public func load() -> ConfigurationLoadResult {
    guard let settingsFile else { return load(place, over: Configuration()) }
    let kept = load(ConfigurationFile(path: settingsFile, isKept: true), over: Configuration())
    var reading = load(place, over: kept.configuration)
    reading.overrides = ConfigurationSetting.all.compactMap { setting in
      guard kept.assignments[setting.name] != nil,
        let place = reading.assignments[setting.name]
      else { return nil }
      return ConfigurationOverride(
        name: setting.name, file: file, place: place, settingsFile: settingsFile)
    }
    reading.problems += kept.problems
    reading.isBroken = reading.isBroken || kept.isBroken
    reading.contents += kept.contents
    return reading
  }

  private func load(
    _ file: ConfigurationFile, over base: Configuration
  ) -> ConfigurationLoadResult {
    do throws(FileError) {
      let content = try content(of: file)
      var reading =
        if let content {
          read(content, of: file, over: base)
        } else if isNamed {
          ConfigurationLoadResult.broken(
            file, nil, "Is not there. Check the path after --config.", over: base)
        } else {
          ConfigurationLoadResult(base)
        }
      reading.contents = [content]
      return reading
    } catch {
      return .broken(file, nil, "Cannot be read. Check its permissions.", over: base)
    }
  }

  private func content(of file: ConfigurationFile) throws(FileError) -> Data? {
    if !file.isKept, let data = piped.withLock(\.self) { return data }
    let data = try PrivateFiles.read(file.path)
    var status = stat()
    if !file.isKept, data != nil, stat(file.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG
    {
      piped.withLock { $0 = data }
    }
    return data
  }

  private var place: ConfigurationFile { ConfigurationFile(path: file) }

  func read(
    _ content: Data, of file: ConfigurationFile, over base: Configuration
  ) -> ConfigurationLoadResult {
    guard let text = String(validating: content, as: UTF8.self) else {
      return .broken(
        file, SourcePosition(line: Self.lineOfBrokenText(content), column: 1),
        "Is not text in UTF-8. Save it as that.", over: base)
    }
    do throws(TOMLProblem) {
      return try ConfigurationReader(text, file: file, over: base).reading
    } catch {
      return .broken(
        file, SourcePosition(line: error.line, column: error.column),
        "Is not TOML: \(error.sentence.cleanedForDisplay).", over: base)
    }
  }

  /// The first line that is no UTF-8; a line break is never half of a character.
  private static func lineOfBrokenText(_ content: Data) -> Int {
    let lines = content.split(separator: 0x0A, omittingEmptySubsequences: false)
    return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
  }

  /// Makes the file with this content where there is none, in a folder that only its owner reads.
  ///
  /// - Returns: Whether it was made; false leaves what is there as it is.
  /// - Throws: `FileError` if the folder or the file cannot be made.
  public func createIfMissing(_ text: String) throws(FileError) -> Bool {
    guard !FileManager.default.fileExists(atPath: file) else { return false }
    let folder = file.parentPath
    if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      try PrivateFiles.makeFolder(folder)
    }
    return try PrivateFiles.create(Data(text.utf8), at: file)
  }

  /// The key in the file that `[server] key_file` names; nil where none is named.
  ///
  /// - Throws: `ConfigurationProblem` when the file holds no key.
  public func serverKey(
    of configuration: Configuration
  ) throws(ConfigurationProblem) -> String? {
    guard let path = configuration.serverKeyFile else { return nil }
    let data = FileManager.default.contents(atPath: path) ?? Data()
    let key = String(decoding: data, as: UTF8.self).trimmed
    guard !key.isEmpty, !key.contains(where: \.isWhitespace) else {
      throw ConfigurationProblem(
        file: path, place: nil, sentence: "Holds no key. Put the server's key into it, alone.")
    }
    return key
  }
}
