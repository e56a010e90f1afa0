import FoundationEssentials
import RallyText

public typealias JSONReader = RallyText.JSONReader

/// The JSON coding that the client and the server share.
public enum WireJSON {
  /// Sorted keys, no whitespace; a UUID in lower case, `Data` as Base64.
  ///
  /// - Throws: `EncodingError`.
  public static func encode(_ value: some Encodable) throws -> Data {
    Data(JSONWriter.bytes(of: try JSONValue(encoding: value)))
  }

  /// How many values a body or a message may have. 1 MiB of any shape with no more takes about 20 ms
  /// of processor time at most.
  public static let mostValues = 32_768

  /// A value that somebody else sent; of what a client sends every part is read with this.
  ///
  /// - Throws: `JSONReader.Problem`, also for more than `mostValues`.
  public static func value(
    of text: some Collection<UInt8>
  ) throws(JSONReader.Problem) -> JSONValue {
    try JSONReader.value(of: text, atMost: mostValues)
  }

  /// - Throws: `DecodingError`.
  public static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }

  /// One line of JSON text, for pipes and frames.
  ///
  /// - Throws: `EncodingError`.
  public static func text(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }

  /// As `text`, for a terminal, a pipe to one, or a log: control characters are escaped.
  ///
  /// - Throws: `EncodingError`.
  public static func printed(_ value: some Encodable) throws -> String {
    try text(value).escapedForDisplay
  }
}
