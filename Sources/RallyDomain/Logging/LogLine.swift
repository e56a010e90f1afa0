import Foundation
import Logging

/// A line of the log, taken apart: `2026-11-21T18:31:02Z info [Friends] fetchFriends — limit: 25`.
public struct LogLine: Hashable, Sendable, Identifiable {
  /// Where it begins in its file, in bytes.
  public let id: Int
  /// The line as it is.
  public let text: String
  /// Nil where the line is none of the log's own.
  public let level: Logger.Level?
  /// The time of day in UTC: `18:31:02`; empty where there is none.
  public let clock: String
  /// What follows time and level.
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

  /// Whether it is at least as grave, and has the text somewhere.
  public func matches(level least: Logger.Level, filter: String) -> Bool {
    if let level, level < least { return false }
    return filter.isEmpty || text.localizedCaseInsensitiveContains(filter)
  }
}

extension RallyLog {
  /// The last lines of the log, the newest last.
  ///
  /// - Parameter bytes: How much of the end of the file is looked at.
  @concurrent
  public static func lastLines(_ count: Int = 500, of bytes: Int = 128 << 10) async -> [LogLine] {
    guard let path else { return [] }
    return LogTail.lines(of: path, count: count, bytes: bytes)
  }

  /// Yields whenever something was written; several lines may be one news.
  public static func news() -> AsyncStream<Void> { file.news() }
}

/// The end of a file of lines.
enum LogTail {
  static func lines(of path: String, count: Int, bytes: Int) -> [LogLine] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    guard let end = try? file.seekToEnd() else { return [] }
    let start = end > UInt64(bytes) ? end - UInt64(bytes) : 0
    guard (try? file.seek(toOffset: start)) != nil, let data = try? file.readToEnd() else {
      return []
    }
    var lines: [LogLine] = []
    var offset = Int(start)
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      // The first one may have lost its beginning.
      if !line.isEmpty, index > 0 || start == 0 {
        lines.append(LogLine(id: offset, text: String(decoding: line, as: UTF8.self)))
      }
      offset += line.count + 1
    }
    return Array(lines.suffix(count))
  }
}
