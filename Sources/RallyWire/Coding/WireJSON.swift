import FoundationEssentials
import RallyText

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
  public static func escapedText(_ value: some Encodable) throws -> String {
    try text(value).escapedForDisplay
  }
}

/// Writes JSON values as text: sorted keys, no whitespace, the bytes of `JSONEncoder`.
public struct JSONWriter {
  private var bytes: [UInt8] = []

  public static func bytes(of value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  public static func text(of value: JSONValue) -> String {
    String(decoding: bytes(of: value), as: UTF8.self)
  }

  private mutating func write(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(String(value))
    case .number(let value): append(Self.text(value))
    case .string(let value): write(value)
    case .array(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        write(value)
      }
      append("]")
    case .object(let members): write(members)
    }
  }

  private mutating func write(_ members: [String: JSONValue]) {
    append("{")
    // `JSONEncoder` sorts by the keys' scalars, which is the order of their UTF-8.
    for (index, key) in members.keys.sorted(by: <).enumerated() {
      if index > 0 { append(",") }
      write(key)
      append(":")
      write(members[key] ?? .null)
    }
    append("}")
  }

  /// Without the fraction of a whole number, as `JSONEncoder` writes it.
  private static func text(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    guard !text.utf8.allSatisfy(Self.standsForItself) else { return append(text) }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        append("\\u00")
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }

  private static func standsForItself(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}

/// Text of a UUID (RFC 9562, section 4): Foundation's takes seven times as long in either direction, for
/// each id of each row.
extension UUID {
  private static let length = 36

  /// Lower-case text, the form on the wire and in storage.
  public var wireText: String {
    String(unsafeUninitializedCapacity: UUID.length) { text in
      var place = 0
      withUnsafeBytes(of: uuid) { bytes in
        for (index, byte) in bytes.enumerated() {
          if UUID.hasHyphen(before: index) {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          text[place] = UUID.digit(byte >> 4)
          text[place + 1] = UUID.digit(byte & 0xF)
          place += 2
        }
      }
      return place
    }
  }

  /// Nil for anything but 32 hexadecimal digits, of either case, in five groups with hyphens between.
  public init?(wireText text: some StringProtocol) {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    var rest = text.utf8.makeIterator()
    let isWhole = withUnsafeMutableBytes(of: &bytes) { bytes in
      for index in bytes.indices {
        if UUID.hasHyphen(before: index), rest.next() != UInt8(ascii: "-") { return false }
        guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue
        else { return false }
        bytes[index] = high << 4 | low
      }
      return rest.next() == nil
    }
    guard isWhole else { return nil }
    self.init(uuid: bytes)
  }

  private static func hasHyphen(before index: Int) -> Bool {
    index == 4 || index == 6 || index == 8 || index == 10
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

/// The arguments of a function: `userID` is called `p_user_id`.
public protocol ArgumentKey: CodingKey, CaseIterable, RawRepresentable<String> {}

extension ArgumentKey {
  public var stringValue: String { "p_" + rawValue.snakeCased }
  public var intValue: Int? { nil }

  public init?(stringValue: String) {
    guard let key = Self.allCases.first(where: { $0.stringValue == stringValue }) else {
      return nil
    }
    self = key
  }

  public init?(intValue: Int) { nil }
}
