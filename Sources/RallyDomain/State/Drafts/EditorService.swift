import FoundationEssentials
import RallyText
import RallyWire

/// A text that the person edits with the program of their choice.
///
/// It lies in a private folder of its own (0700, the file 0600) for as long as the editor runs.
public struct EditorService: Sendable {
  /// Why there is no text.
  public enum Problem: Error, Hashable, Sendable {
    /// The editor ended with this status, or by a signal.
    case failed(String)
    case notText
    case tooLong
    case file(String)
    /// The person may start no program on this host.
    case notAllowed

    /// Says what failed and what became of the text.
    public var sentence: String {
      switch self {
      case .failed(let how): "The editor \(how); your text is as it was."
      case .notText: "The editor left something that is no text (UTF-8); your text is as it was."
      case .tooLong:
        "The editor left more than \(EditorService.longest / 1024) kB; your text is as it was."
      case .file(let reason): "The text cannot be given to an editor (\(reason))."
      case .notAllowed: "There is no editor over SSH; write the text here."
      }
    }
  }

  /// Bytes; what is more is no text of Rally's, whatever it is.
  public static let longest = 64 << 10

  private let folder: String
  private let capabilities: Capabilities

  /// - Parameters:
  ///   - folder: Where its own folder is made: private, and emptied by the system.
  ///   - capabilities: Without `editor` nothing is written and nothing started.
  public init(folder: String, capabilities: Capabilities = .owner) {
    self.folder = folder
    self.capabilities = capabilities
  }

  /// `$VISUAL`, else `$EDITOR`, else vi, with its own arguments, on the file after it.
  public static func command(
    _ file: String
  ) -> (executable: String, arguments: [String]) {
    ("/bin/sh", ["sh", "-c", "exec \(choice) \"$1\"", "sh", file])
  }

  /// As the shell reads it; the value is taken apart at blanks, as git does.
  public static let choice = "${VISUAL:-${EDITOR:-vi}}"

  /// Lets the person edit a text, and returns it as they saved it.
  ///
  /// - Parameters:
  ///   - name: What the file is called, which editors show: `brief`.
  ///   - run: Runs a program in the foreground of the terminal; answers how it failed, or nil.
  /// - Throws: `Problem` if the person may not, the file cannot be written or read, or the editor
  ///   failed.
  public func edit(
    _ text: String, name: String,
    run: @Sendable (_ executable: String, _ arguments: [String]) async -> String?
  ) async throws(Problem) -> String {
    guard capabilities.contains(.editor) else { throw .notAllowed }
    let own = "\(folder)/edit-\(UUID().uuidString)"
    let file = "\(own)/\(name).txt"
    do {
      try PrivateFiles.makeFolder(folder)
      try PrivateFiles.makeFolder(own)
      _ = try PrivateFiles.create(Data((text.isEmpty ? "" : text + "\n").utf8), at: file)
    } catch {
      try? FileManager.default.removeItem(atPath: own)
      throw .file(error.logLabel)
    }
    // Editors leave copies beside it; all of it goes.
    defer { try? FileManager.default.removeItem(atPath: own) }
    let command = Self.command(file)
    if let failure = await run(command.executable, command.arguments) { throw .failed(failure) }
    return try Self.text(of: file)
  }

  private static func text(of file: String) throws(Problem) -> String {
    guard let data = try? PrivateFiles.read(file, upTo: longest + 1) else {
      throw .failed("removed the file")
    }
    guard data.count <= longest else { throw .tooLong }
    guard let text = String(validating: data, as: UTF8.self), !text.contains("\0") else {
      throw .notText
    }
    // Lines become one, as a paste into a field does; an empty line is not two blanks.
    return text.split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { !$0.isEmpty }.joined(separator: " ").cleanedForDisplay
  }
}
