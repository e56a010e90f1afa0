import FoundationEssentials
import Glibc
import Logging
import RallyEnvironment
import RallySystem
import RallyText
import RallyWire

/// A text that the person edits with the program of their choice.
///
/// It lies in a private folder of its own (0700, the file 0600) until it is in the form. What an
/// editor saved and the form did not get stays there, and the form offers it again. That is so
/// after an editor that failed, a text that is none, a lost window, or a kill.
public struct EditorService: Sendable {
  /// Why there is no text. `kept` is the file that has what the editor saved; nil if it saved
  /// nothing.
  public enum Problem: ReportableError, Hashable, Sendable {
    /// The editor ended with this status, or by a signal.
    case failed(String, kept: String?)
    case notText(kept: String)
    case tooLong(kept: String)
    /// It ended at once and changed nothing: it may have opened a window of its own.
    case didNotWait(kept: String)
    case file(String)
    /// The person may start no program on this host.
    case notAllowed

    /// Says what failed and what became of the text.
    public var sentence: String {
      switch self {
      case .failed(let how, nil): "The editor \(how); your text is as it was."
      case .failed(let how, let kept?): "The editor \(how). What it saved is kept in \(kept)."
      case .notText(let kept): "The editor left something that is no text (UTF-8), in \(kept)."
      case .tooLong(let kept):
        "The editor left more than \(EditorService.longest / 1024) kB, in \(kept)."
      case .didNotWait(let kept):
        "The editor ended at once. If it has a window, let it wait (code --wait, gvim -f); its file"
          + " is \(kept)."
      case .file(let reason): "The text cannot be given to an editor (\(reason))."
      case .notAllowed: "There is no editor over SSH; write the text here."
      }
    }
  }

  /// A text as an editor saved it. Its file stays until `discard`.
  public struct Edited: Hashable, Sendable {
    public let text: String
    /// What the form had when the editor got it.
    public let given: String
    fileprivate let folder: String
  }

  /// Bytes; what is more is no text of Rally's, whatever it is.
  public static let longest = 64 << 10
  /// An editor that ends sooner and changes nothing has not been used.
  private static let leastUse = Duration.seconds(1)
  /// How long a file is kept for the window of an editor that did not wait.
  private static let windowLimit: TimeInterval = 86_400

  private let folder: String
  private let capabilities: Capabilities
  private let owner: @Sendable () async -> UUID?
  private let log = RallyLog.logger("Editor")

  /// - Parameters:
  ///   - folder: Where its own folders are made: private, and kept over a restart.
  ///   - capabilities: Without `editor` nothing is written and nothing started.
  ///   - owner: Whose texts they are; nobody else is offered them.
  public init(
    folder: String, capabilities: Capabilities = .owner,
    owner: @escaping @Sendable () async -> UUID? = { nil }
  ) {
    self.folder = folder
    self.capabilities = capabilities
    self.owner = owner
  }

  /// The folder of a profile's texts.
  public static func folder(in folders: RallyFolders) -> String {
    "\(folders.profileState)/editing"
  }

  // MARK: The program

  /// `$VISUAL`, else `$EDITOR`, else vi, with its own arguments, on the file after it.
  public static func command(
    _ file: String
  ) -> (executable: String, arguments: [String]) {
    ("/bin/sh", ["sh", "-c", choice, "sh", file])
  }

  /// A line of shell that starts the editor on its arguments. The shell reads the variable's value
  /// as its own text, quotes and all, as git has it. It outlives the keys that the editor catches.
  public static var choice: String {
    ChildProgram.shellPreparation
      + #"trap : INT QUIT; eval "${VISUAL:-${EDITOR:-vi}} \"\$@\"""#
  }

  // MARK: Editing

  /// Lets the person edit a text, and returns it as they saved it.
  ///
  /// What an editor left that is no text, or crashed with, is edited again.
  ///
  /// - Parameters:
  ///   - form: Which form the text belongs to: `brief`, `message-ID`.
  ///   - name: What the file is called, which editors show: `brief`.
  ///   - run: Runs a program in the foreground of the terminal; answers how it failed, or nil.
  /// - Throws: `Problem` if the person may not, the file cannot be written or read, or the editor
  ///   failed.
  @concurrent public func edit(
    _ text: String, form: String, name: String,
    run: @Sendable (_ executable: String, _ arguments: [String]) async -> String?
  ) async throws(Problem) -> Edited {
    log.info("edit — form: \(name)")
    guard capabilities.contains(.editor) else { throw .notAllowed }
    let desk: Desk
    do {
      desk = try await self.desk(for: text, form: form, name: name)
    } catch {
      throw .file(error.systemReason)
    }
    // Another Rally takes up what nobody holds.
    let lock = try? FileLock.take(desk.folder, LOCK_EX | LOCK_NB)
    defer { if let lock { FileLock.release(lock) } }
    let before = desk.content
    let start = ContinuousClock.now
    let command = Self.command(desk.file)
    let failure = await run(command.executable, command.arguments)
    let after = desk.content
    log.info("edit — ended: \(failure == nil ? "well" : "with a failure")")
    if let failure {
      guard desk.isWorthKeeping else {
        remove(desk.folder)
        throw .failed(failure, kept: nil)
      }
      throw .failed(failure, kept: desk.shownFile)
    }
    guard let after else {
      remove(desk.folder)
      throw .failed("removed the file", kept: nil)
    }
    if after == before, start.duration(to: .now) < Self.leastUse {
      throw .didNotWait(kept: desk.shownFile)
    }
    guard after.count <= Self.longest else { throw .tooLong(kept: desk.shownFile) }
    guard let text = Self.text(after) else { throw .notText(kept: desk.shownFile) }
    return Edited(text: text, given: desk.origin.text, folder: desk.folder)
  }

  /// What an editor saved for a form that never got it; nil for nothing.
  @concurrent public func kept(form: String) async -> Edited? {
    guard capabilities.contains(.editor) else { return nil }
    let desk = await desks(of: form).first { $0.content.flatMap(Self.text) != nil && $0.isChanged }
    guard let desk, let text = desk.content.flatMap(Self.text) else { return nil }
    log.info("kept — form: \(form)")
    return Edited(text: text, given: desk.origin.text, folder: desk.folder)
  }

  /// Removes the file of a text that is in its form, with the copies that editors leave beside it.
  @concurrent public func discard(_ edited: Edited) async { remove(edited.folder) }

  /// Removes all texts, as signing out must.
  ///
  /// - Throws: `FileError`; texts may be left then.
  public func forget() throws(FileError) {
    guard FileManager.default.fileExists(atPath: folder) else { return }
    do {
      try FileManager.default.removeItem(atPath: folder)
      log.info("forget — done")
    } catch {
      log.error("forget — failed: \(error.logLabel)")
      throw FileError(folder, error)
    }
  }

  /// Lines become one, as a paste into a field does; an empty line is not two blanks.
  ///
  /// - Returns: nil for what is no text.
  private static func text(_ data: Data) -> String? {
    guard data.count <= longest, let text = String(validating: data, as: UTF8.self),
      !text.contains("\0")
    else { return nil }
    return text.split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { !$0.isEmpty }.joined(separator: " ").cleanedForDisplay
  }

  // MARK: Files

  /// Where a text came from; lies beside it.
  private struct Origin: Codable, Hashable, Sendable {
    var form: String
    var owner: UUID?
    var name: String
    var text: String

    var content: Data { Data((text.isEmpty ? "" : text + "\n").utf8) }
  }

  /// The folder of one text.
  private struct Desk {
    static let originName = ".origin"

    let folder: String
    let origin: Origin

    var file: String { "\(folder)/\(origin.name).txt" }

    /// With `~` for the home folder.
    var shownFile: String {
      let home = HomeFolder.path
      return file.hasPrefix(home + "/") ? "~" + file.dropFirst(home.count) : file
    }

    /// nil if there is no file, or it cannot be read.
    var content: Data? { try? PrivateFiles.read(file, upTo: EditorService.longest + 1) }

    /// Whether the file has something else than the form gave.
    var isChanged: Bool { content.map { $0 != origin.content } ?? false }

    /// Also what an editor that crashed left beside it, from which it can restore the text.
    var isWorthKeeping: Bool {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return isChanged || names.contains { $0 != Self.originName && $0 != "\(origin.name).txt" }
    }

    /// When the file was written last.
    var date: Date {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      return attributes?[.modificationDate] as? Date ?? .distantPast
    }
  }

  /// A folder with the text in a file: the one that an editor was asked for and did not deliver, or
  /// a new one.
  private func desk(for text: String, form: String, name: String) async throws -> Desk {
    if let former = await desks(of: form).first {
      guard !former.isWorthKeeping else { return former }
      // A window may still have it open.
      var origin = former.origin
      origin.text = text
      let desk = Desk(folder: former.folder, origin: origin)
      if desk.origin != former.origin { try write(desk) }
      return desk
    }
    let own = "\(folder)/\(UUID().uuidString.prefix(8).lowercased())"
    let origin = Origin(form: form, owner: await owner(), name: name, text: text)
    let desk = Desk(folder: own, origin: origin)
    do {
      try PrivateFiles.makeFolder(folder)
      try PrivateFiles.makeFolder(own)
      try write(desk)
    } catch {
      remove(desk.folder)
      throw error
    }
    return desk
  }

  private func write(_ desk: Desk) throws {
    try PrivateFiles.write(desk.origin.content, to: desk.file)
    try PrivateFiles.write(
      try WireJSON.encode(desk.origin), to: "\(desk.folder)/\(Desk.originName)")
  }

  /// Removes the folder of a text, and the one of all texts with the last.
  private func remove(_ own: String) {
    try? FileManager.default.removeItem(atPath: own)
    rmdir(folder)
  }

  /// The texts of a form of this person that no Rally is at, the newest first. Removes those that
  /// nobody wrote anything into for a day.
  private func desks(of form: String) async -> [Desk] {
    let person = await owner()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var found: [Desk] = []
    for name in names {
      let own = "\(folder)/\(name)"
      guard let data = try? PrivateFiles.read("\(own)/\(Desk.originName)"),
        let origin = try? WireJSON.decode(Origin.self, from: data), !FileLock.isHeld(own)
      else { continue }
      let desk = Desk(folder: own, origin: origin)
      if !desk.isWorthKeeping, desk.date.timeIntervalSinceNow < -Self.windowLimit {
        remove(desk.folder)
      } else if origin.form == form, origin.owner == person {
        found.append(desk)
      }
    }
    return found.sorted { $0.date > $1.date }
  }
}

private struct EditorServiceKey: EnvironmentKey {
  static let defaultValue = EditorService(
    folder: "\(FileManager.default.temporaryDirectory.path)/rally-editor-\(getuid())")
}

extension EnvironmentValues {
  public var editorService: EditorService {
    get { self[EditorServiceKey.self] }
    set { self[EditorServiceKey.self] = newValue }
  }
}
