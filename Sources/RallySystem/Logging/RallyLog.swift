import Dispatch
import FoundationEssentials
import Glibc
import Logging
import RallyText
import RallyWire
import Synchronization

/// The program's log file: lines like `[Friends] fetchFriends — limit: 25`.
///
/// Nothing is written before `open`, and never to the terminal. Callers keep tokens, positions,
/// search text and names out of their messages.
public enum RallyLog {
  static let file = LogFile()

  /// The logger of one component, such as `Friends`.
  public static func logger(_ component: String) -> Logger {
    Logger(label: component) { LogFileHandler(label: $0, file: file) }
  }

  /// Starts writing to `folder/rally.log` (mode 0600); a second call switches to the new folder.
  ///
  /// - Throws: `FileError` if the folder cannot be created or the file cannot be opened.
  public static func open(folder: String) throws(FileError) {
    try PrivateFiles.makeFolder(folder)
    try file.open(path: "\(folder)/rally.log")
  }

  /// Path of the log file; nil before `open`.
  public static var path: String? { file.path }

  /// Blocks until all lines so far are written.
  static func flush() { file.flush() }
}

/// Formats swift-log's messages for the file.
struct LogFileHandler: LogHandler {
  let label: String
  let file: LogFile
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  init(label: String, file: LogFile) {
    self.label = label
    self.file = file
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    file.write(
      "\(WireTime.now.zulu) \(event.level) [\(label)] \(LogRedaction.clean("\(event.message)"))")
  }
}

/// The current log file and one rotated file (`.1`), each at most `limit` bytes.
///
/// Lines are written on a serial queue, so that callers never wait for the disk.
final class LogFile: Sendable {
  private struct State {
    var path: String?
    var descriptor: Int32 = -1
    var size = 0
    /// Streams that are notified of new lines.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastListener = 0
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "rally.log", qos: .utility)
  private let limit: Int

  init(limit: Int = 1 << 20) { self.limit = limit }

  var path: String? { state.withLock { $0.path } }

  func open(path: String) throws(FileError) {
    let descriptor = try Self.descriptor(of: path)
    state.withLock { state in
      if state.descriptor >= 0 { close(state.descriptor) }
      state.path = path
      state.descriptor = descriptor
      state.size = Int(max(0, lseek(descriptor, 0, SEEK_END)))
    }
  }

  func write(_ line: String) {
    guard path != nil else { return }
    queue.async { [self] in
      let bytes = Array((line.cleanedForDisplay + "\n").utf8)
      state.withLock { state in
        if state.size + bytes.count > limit { rotate(&state) }
        guard state.descriptor >= 0 else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes {
            Glibc.write(state.descriptor, $0.baseAddress, $0.count)
          }
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
          state.size += count
        }
        for listener in state.listeners.values { listener.yield() }
      }
    }
  }

  func flush() { queue.sync {} }

  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = continuation
      return state.lastListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in state.listeners[number] = nil }
    }
    return stream
  }

  private func rotate(_ state: inout State) {
    guard let path = state.path, state.descriptor >= 0 else { return }
    close(state.descriptor)
    rename(path, path + ".1")
    state.descriptor = (try? Self.descriptor(of: path)) ?? -1
    state.size = 0
  }

  private static func descriptor(of path: String) throws(FileError) -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path) }
    return descriptor
  }
}

/// Removes what looks like a secret from a log line.
///
/// Callers must not log secrets; this is a second line of defence. It removes words of 32 or more
/// characters that mix letters and digits (tokens, keys, hashes) and are not UUIDs, and values
/// after words such as `password` or `token`.
enum LogRedaction {
  static let mark = "[removed]"
  private static let shortest = 32
  private static let heralds: Set<String> = [
    "password", "apikey", "access_token", "refresh_token", "token", "secret",
  ]

  static func clean(_ line: String) -> String {
    guard line.utf8.count >= 8 else { return line }
    var result = ""
    var word = ""
    var isAnnounced = false
    var isHerald = false
    func finish() {
      guard !word.isEmpty else { return }
      if isSecret(word) || isAnnounced {
        result += mark
      } else {
        result += word
      }
      isAnnounced = word.lowercased() == "bearer"
      isHerald = heralds.contains(word.lowercased())
      word = ""
    }
    for character in line {
      if isPart(character) {
        word.append(character)
        continue
      }
      finish()
      // Only `=`, `:`, quotes and spaces may separate a secret from the word before it.
      if isHerald, "=:".contains(character) { isAnnounced = true }
      if !" :=\"'".contains(character) { (isAnnounced, isHerald) = (false, false) }
      result.append(character)
    }
    finish()
    return result
  }

  private static func isPart(_ character: Character) -> Bool {
    character.asciiValue?.isAlphanumeric(or: "_-.+") ?? false
  }

  private static func isSecret(_ word: String) -> Bool {
    guard word.utf8.count >= shortest, word.contains(where: \.isNumber),
      word.contains(where: \.isLetter)
    else { return false }
    let isUUID =
      word.utf8.count == 36 && word.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12]
    return !isUUID
  }
}

/// A parsed line of the log: `2026-11-21T18:31:02Z info [Friends] fetchFriends — limit: 25`.
public struct LogLine: Hashable, Sendable, Identifiable {
  /// Byte offset in the file.
  public let id: Int
  /// The whole line.
  public let text: String
  /// Nil if the line is not in the log's format.
  public let level: Logger.Level?
  /// The time of day in UTC, `18:31:02`; empty if the line is not in the log's format.
  public let clock: String
  /// The text after time and level.
  public let message: String

  public init(id: Int, text: String) {
    self.id = id
    self.text = text
    let words = text.split(separator: " ", maxSplits: 2)
    if words.count == 3, let level = Logger.Level(rawValue: String(words[1])) {
      self.level = level
      let time = words[0].split(separator: "T").last ?? ""
      clock = String(time.prefix(8))
      message = String(words[2])
    } else {
      level = nil
      clock = ""
      message = text
    }
  }

  /// Whether the line is at least as severe as `least` and contains the filter text, ignoring case.
  public func matches(level least: Logger.Level, filter: String) -> Bool {
    if let level, level < least { return false }
    return filter.isEmpty || text.lowercased().contains(filter.lowercased())
  }
}

extension RallyLog {
  /// The last lines of the log, newest last.
  ///
  /// - Parameter bytes: How many bytes of the end of the file are read.
  @concurrent
  public static func lastLines(_ count: Int = 500, of bytes: Int = 128 << 10) async -> [LogLine] {
    guard let path else { return [] }
    return LogTail.lines(of: path, count: count, bytes: bytes)
  }

  /// Yields after lines were written; several lines may be one element.
  public static func changes() -> AsyncStream<Void> { file.changes() }
}

/// Reads the last lines of a file.
enum LogTail {
  static func lines(of path: String, count: Int, bytes: Int) -> [LogLine] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let start = max(0, lseek(descriptor, 0, SEEK_END) - bytes)
    guard lseek(descriptor, start, SEEK_SET) == start,
      let data = try? PrivateFiles.read(from: descriptor)
    else { return [] }
    var lines: [LogLine] = []
    var offset = start
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      // The first line may be cut off.
      if !line.isEmpty, index > 0 || start == 0 {
        lines.append(LogLine(id: offset, text: String(decoding: line, as: UTF8.self)))
      }
      offset += line.count + 1
    }
    return Array(lines.suffix(count))
  }
}
