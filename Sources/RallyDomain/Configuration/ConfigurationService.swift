import FoundationEssentials
import Glibc
import RallyTOML
import RallyText
import RallyWire
import Synchronization

/// Reads `config.toml`, which belongs to the person: Rally never writes over it.
///
/// Nothing in the file can stop the program. What is unknown or wrong is passed over and said.
public final class ConfigurationService: Sendable {
  public let file: String
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
  }

  /// The configuration and what was passed over, by line; a missing file is a problem only if it was
  /// named.
  public func load() -> ConfigurationLoadResult {
    do throws(FileError) {
      guard let content = try content() else {
        return isNamed
          ? .broken(place, nil, "Is not there. Check the path after --config.")
          : ConfigurationLoadResult()
      }
      var reading = read(content)
      reading.content = content
      return reading
    } catch {
      return .broken(place, nil, "Cannot be read. Check its permissions.")
    }
  }

  private func content() throws(FileError) -> Data? {
    if let data = piped.withLock(\.self) { return data }
    let data = try PrivateFiles.read(file)
    var status = stat()
    if data != nil, stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      piped.withLock { $0 = data }
    }
    return data
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
