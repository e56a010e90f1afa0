/// Reads JSON text (RFC 8259, UTF-8) into values without an error for any value that is no other.
///
/// The time is bounded by the bytes and by the number of values, whatever the text holds. Of members
/// with the same name the first counts.
public struct JSONReader {
  public enum Problem: Error, Hashable, Sendable {
    /// No JSON text from this byte on.
    case malformed(at: Int)
    case tooDeep
    case tooManyValues
  }

  /// Arrays and objects within each other.
  public static let longestNesting = 512

  private let bytes: [UInt8]
  private var place = 0
  private var depth = 0
  /// Values that there may still be.
  private var room: Int

  private init(_ bytes: [UInt8], room: Int) {
    self.bytes = bytes
    self.room = room
  }

  /// - Parameter limit: How many values the text may have, counted with those within others.
  public static func value(
    of text: some Collection<UInt8>, atMost limit: Int = .max
  ) throws(Problem) -> JSONValue {
    var reader = JSONReader(Array(text), room: limit)
    return try reader.whole()
  }

  private mutating func whole() throws(Problem) -> JSONValue {
    // A byte order mark may be ignored: section 8.1.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    let value = try value()
    skipSpace()
    guard place == bytes.count else { throw .malformed(at: place) }
    return value
  }

  // MARK: - Values

  private mutating func value() throws(Problem) -> JSONValue {
    skipSpace()
    room -= 1
    guard room >= 0 else { throw .tooManyValues }
    switch next {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  /// 0 at the end, which is no part of JSON text either.
  private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

  private mutating func skipSpace() {
    while place < bytes.count {
      switch bytes[place] {
      case 0x20, 0x0A, 0x0D, 0x09: place += 1
      default: return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte, byte != 0 else { return false }
    place += 1
    return true
  }

  private mutating func enter() throws(Problem) {
    place += 1
    depth += 1
    guard depth <= JSONReader.longestNesting else { throw .tooDeep }
    skipSpace()
  }

  private mutating func object() throws(Problem) -> [String: JSONValue] {
    try enter()
    defer { depth -= 1 }
    var members: [String: JSONValue] = [:]
    guard !take(UInt8(ascii: "}")) else { return members }
    while true {
      guard next == UInt8(ascii: "\"") else { throw .malformed(at: place) }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw .malformed(at: place) }
      let value = try value()
      if let former = members.updateValue(value, forKey: name) { members[name] = former }
      skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else { throw .malformed(at: place) }
      skipSpace()
    }
  }

  private mutating func array() throws(Problem) -> [JSONValue] {
    try enter()
    defer { depth -= 1 }
    var values: [JSONValue] = []
    guard !take(UInt8(ascii: "]")) else { return values }
    while true {
      values.append(try value())
      skipSpace()
      if take(UInt8(ascii: "]")) { return values }
      guard take(UInt8(ascii: ",")) else { throw .malformed(at: place) }
    }
  }

  private mutating func literal(
    _ text: String, _ value: JSONValue
  ) throws(Problem) -> JSONValue {
    guard bytes[place...].starts(with: text.utf8) else { throw .malformed(at: place) }
    place += text.utf8.count
    return value
  }

  // MARK: - Numbers

  /// A whole number where it is one, however it is written.
  private mutating func number() throws(Problem) -> JSONValue {
    let start = place
    _ = take(UInt8(ascii: "-"))
    let first = next
    let digits = takeDigits()
    guard digits > 0, digits == 1 || first != UInt8(ascii: "0") else { throw .malformed(at: start) }
    var isWhole = true
    if take(UInt8(ascii: ".")) {
      isWhole = false
      guard takeDigits() > 0 else { throw .malformed(at: place) }
    }
    if next | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      place += 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard takeDigits() > 0 else { throw .malformed(at: place) }
    }
    if isWhole, place - start < 19 { return .integer(smallInteger(from: start)) }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw .malformed(at: start) }
    return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }

  private mutating func takeDigits() -> Int {
    let start = place
    while UInt8(ascii: "0")...UInt8(ascii: "9") ~= next { place += 1 }
    return place - start
  }

  /// Of at most 18 characters, so that it cannot overflow.
  private func smallInteger(from start: Int) -> Int64 {
    let isNegative = bytes[start] == UInt8(ascii: "-")
    var number: Int64 = 0
    for byte in bytes[(isNegative ? start + 1 : start)..<place] {
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return isNegative ? -number : number
  }

  // MARK: - Text

  private mutating func string() throws(Problem) -> String {
    place += 1
    let start = place
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        let text = try text(bytes.span.extracting(start..<place))
        place += 1
        return text
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw .malformed(at: place)
      default: place += 1
      }
    }
    throw .malformed(at: place)
  }

  private func text(_ bytes: Span<UInt8>) throws(Problem) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      throw .malformed(at: place)
    }
  }

  private mutating func escapedString(from start: Int) throws(Problem) -> String {
    var content = Array(bytes[start..<place])
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(content.span)
      case UInt8(ascii: "\\"): try escape(into: &content)
      case 0..<0x20: throw .malformed(at: place - 1)
      default: content.append(byte)
      }
    }
    throw .malformed(at: place)
  }

  private mutating func escape(into content: inout [UInt8]) throws(Problem) {
    let byte = next
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      var code = try codeUnit()
      // Half of a pair alone stands for no character.
      if 0xD800..<0xDC00 ~= code {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw .malformed(at: place) }
        let low = try codeUnit()
        guard 0xDC00..<0xE000 ~= low else { throw .malformed(at: place) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw .malformed(at: place) }
      content.append(
        contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
    default: throw .malformed(at: place - 1)
    }
  }

  private mutating func codeUnit() throws(Problem) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.hexadecimalValue else { throw .malformed(at: place) }
      code = code << 4 | UInt32(digit)
      place += 1
    }
    return code
  }
}
