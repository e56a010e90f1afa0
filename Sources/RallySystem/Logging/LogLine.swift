import FoundationEssentials
import Glibc
import Logging

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
