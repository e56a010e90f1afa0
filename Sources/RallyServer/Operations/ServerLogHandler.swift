import Foundation
import Logging
import RallyText
import RallyWire

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
  /// `2026-01-02T03:04:05.678901+00:00 info request route=/health status=200`
  case text
  /// One JSON object a line.
  case json
}

/// Writes each entry as one line, in one write.
public struct ServerLogHandler: LogHandler {
  public var metadata = Logger.Metadata()
  public var logLevel = Logger.Level.info

  private let label: String
  private let format: LogFormat
  private let write: @Sendable (String) -> Void

  /// - Parameter write: Takes one line with its end.
  public init(label: String, format: LogFormat, write: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.format = format
    self.write = write
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var fields = metadata
    if let own = event.metadata { fields.merge(own) { $1 } }
    write(line(event.level, event.message.description, fields, at: .now) + "\n")
  }

  func line(
    _ level: Logger.Level, _ message: String, _ fields: Logger.Metadata, at time: WireTime
  ) -> String {
    switch format {
    case .json:
      var object = fields.mapValues { JSONValue.string($0.description) }
      for (key, value) in [
        "time": time.description, "level": level.rawValue, "logger": label, "message": message,
      ] {
        object[key] = .string(value)
      }
      return (try? WireJSON.escapedText(JSONValue.object(object))) ?? "{}"
    case .text:
      let list = fields.sorted { $0.key < $1.key }.map {
        " \($0.key)=\(ServerLogHandler.quoted($0.value.description))"
      }
      return "\(time) \(level.rawValue) \(ServerLogHandler.flat(message))\(list.joined())"
    }
  }

  /// A value, quoted where necessary.
  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && $0.value > 32 && $0.value != 127 && $0 != "\"" && $0 != "="
      }
    return isPlain ? text : (try? WireJSON.escapedText(text)) ?? "\"\""
  }

  /// Removes line breaks and bidirectional controls, which could forge or reorder entries.
  private static func flat(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.actsOnDisplay ? " " : $0 }))
  }
}
