import FoundationEssentials
import RallyTOML
import RallyText
import RallyWire

/// Reads `config.toml`, which belongs to the person: Rally never writes over it.
///
/// Nothing in the file can stop the program. What is unknown or wrong is passed over and said.
public final class ConfigurationService: Sendable {
  public let file: String

  /// - Parameter file: `$XDG_CONFIG_HOME/rally/config.toml`, as `RallyFolders` finds it, or the one
  ///   of `--config`.
  public init(file: String) { self.file = file }

  /// The configuration and what was passed over, by line; a missing file is no problem.
  public func load() -> ConfigurationLoadResult {
    guard FileManager.default.fileExists(atPath: file) else { return ConfigurationLoadResult() }
    let content = FileManager.default.contents(atPath: file)
    var reading = content.map(read) ?? .broken(place, nil, "Cannot be read. Check its permissions.")
    reading.content = content
    return reading
  }

  private var place: ConfigurationFile { ConfigurationFile(path: file) }

  private func read(_ content: Data) -> ConfigurationLoadResult {
    guard let text = String(validating: content, as: UTF8.self) else {
      return .broken(
        place, SourcePosition(line: Self.lineOfBrokenText(content), column: 1),
        "Is not text in UTF-8. Save it as that.")
    }
    do {
      return try ConfigurationReader(text, file: place).reading
    } catch let problem as TOMLProblem {
      return .broken(
        place, SourcePosition(line: problem.line, column: problem.column),
        "Is not TOML: \(problem.sentence.cleanedForDisplay).")
    } catch let blunder as TOMLSyntaxError {
      return .broken(place, blunder.place, "Is not TOML: \(blunder.sentence).")
    } catch {
      return .broken(place, nil, "Is not TOML.")
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
