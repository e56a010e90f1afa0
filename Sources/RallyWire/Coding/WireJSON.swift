import Foundation
import RallyText

/// The one way both ends turn values into JSON and back.
public enum WireJSON {
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return try encoder.encode(value)
  }

  public static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }

  /// One line of JSON text, for pipes and frames.
  public static func text(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }

  /// The same for a terminal, a pipe to one, or a log: what acts on a display stands escaped.
  public static func printed(_ value: some Encodable) throws -> String {
    try text(value).escapedForDisplay
  }
}
