import RallySystem
import RallyText

/// A JSON value (RFC 8259) with the line it starts on.
///
/// Needed because Foundation's decoder does not report lines. Strict: no comments, no trailing
/// commas, no `NaN`. Of duplicate keys, the last one wins. What the grammar allows and no value can
/// hold, half a surrogate pair or a number beyond a double, is a problem for whoever reads it.
struct PositionedJSON {
  enum Value {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([PositionedJSON])
    case object([String: PositionedJSON])
    /// With the sentence that says why it is of no use.
    case unusable(String)
  }

  let line: Int
  let value: Value

  /// - Throws: `ImportProblem` with the line of the first syntax error.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    var parser = JSONParser(source: try SourceLines(bytes))
    self = try parser.document()
  }

  fileprivate init(line: Int, value: Value) {
    self.line = line
    self.value = value
  }

  subscript(key: String) -> PositionedJSON? { object?[key].flatMap { $0.isNull ? nil : $0 } }

  /// Why nobody can use this value; nil if one can.
  var fault: String? { if case .unusable(let sentence) = value { sentence } else { nil } }
  var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }
  var isNull: Bool { if case .null = value { true } else { false } }
  var string: String? { if case .string(let text) = value { text } else { nil } }
  var number: Double? { if case .number(let number) = value { number } else { nil } }
  var array: [PositionedJSON]? { if case .array(let values) = value { values } else { nil } }
  var object: [String: PositionedJSON]? {
    if case .object(let members) = value { members } else { nil }
  }
}

private struct JSONParser {
  var source: SourceLines
  /// Whether the last text had half of a surrogate pair, in place of which it has a mark.
  private var hasHalf = false

  init(source: SourceLines) { self.source = source }

  mutating func document() throws(ImportProblem) -> PositionedJSON {
    source.skipSpace()
    let value = try self.value(depth: 0)
    source.skipSpace()
    guard source.peek == nil else { throw problem("Something follows the end of the JSON.") }
    return value
  }

  private mutating func value(depth: Int) throws(ImportProblem) -> PositionedJSON {
    guard depth <= ImportLimits.depth else {
      throw problem("The JSON is nested more than \(ImportLimits.depth) deep.")
    }
    let line = source.line
    guard let byte = source.peek else { throw problem("The file ends where a value is expected.") }
    let value: PositionedJSON.Value
    switch byte {
    case UInt8(ascii: "{"): value = .object(try object(depth: depth))
    case UInt8(ascii: "["): value = .array(try array(depth: depth))
    case UInt8(ascii: "\""): value = try text()
    case UInt8(ascii: "t"): value = try word("true", .bool(true))
    case UInt8(ascii: "f"): value = try word("false", .bool(false))
    case UInt8(ascii: "n"): value = try word("null", .null)
    case UInt8(ascii: "-"), 0x30...0x39: value = try number()
    default: throw problem("A value is expected here.")
    }
    return PositionedJSON(line: line, value: value)
  }

  private mutating func object(
    depth: Int
  ) throws(ImportProblem) -> [String: PositionedJSON] {
    source.advance()
    var members: [String: PositionedJSON] = [:]
    source.skipSpace()
    if take(UInt8(ascii: "}")) { return members }
    while true {
      source.skipSpace()
      guard source.peek == UInt8(ascii: "\"") else {
        throw problem("A name in quotation marks is expected here.")
      }
      let key = try string()
      source.skipSpace()
      guard take(UInt8(ascii: ":")) else { throw problem("A colon is expected after the name.") }
      source.skipSpace()
      members[key] = try value(depth: depth + 1)
      source.skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else {
        throw problem("A comma or the end of the object is expected here.")
      }
    }
  }

  private mutating func array(depth: Int) throws(ImportProblem) -> [PositionedJSON] {
    source.advance()
    var values: [PositionedJSON] = []
    source.skipSpace()
    if take(UInt8(ascii: "]")) { return values }
    while true {
      source.skipSpace()
      values.append(try value(depth: depth + 1))
      source.skipSpace()
      if take(UInt8(ascii: "]")) { return values }
      guard take(UInt8(ascii: ",")) else {
        throw problem("A comma or the end of the list is expected here.")
      }
    }
  }

  private mutating func text() throws(ImportProblem) -> PositionedJSON.Value {
    hasHalf = false
    let text = try string()
    return hasHalf ? .unusable("This escape is half a character.") : .string(text)
  }

  private mutating func string() throws(ImportProblem) -> String {
    source.advance()
    var bytes: [UInt8] = []
    while let byte = source.peek {
      switch byte {
      case UInt8(ascii: "\""):
        source.advance()
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        source.advance()
        bytes += try escape()
      case ..<0x20: throw problem("A text goes over the end of its line.")
      default:
        bytes.append(byte)
        source.advance()
      }
    }
    throw problem("The file ends within a text.")
  }

  private mutating func escape() throws(ImportProblem) -> [UInt8] {
    guard let byte = source.next() else { throw problem("The file ends within a text.") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let code = try hexadecimal()
      if let scalar = Unicode.Scalar(code) { return Array(String(Character(scalar)).utf8) }
      if code < 0xDC00, let scalar = try secondHalf(of: code) {
        return Array(String(Character(scalar)).utf8)
      }
      hasHalf = true
      return Array("\u{FFFD}".utf8)
    default: throw problem("This escape is not known.")
    }
  }

  /// The character of a surrogate pair; nil, and nothing is read, if its other half does not follow.
  private mutating func secondHalf(
    of high: UInt32
  ) throws(ImportProblem) -> Unicode.Scalar? {
    guard source.starts(with: "\\u") else { return nil }
    let before = source
    source.advance(by: 2)
    let low = try hexadecimal()
    guard (0xDC00..<0xE000).contains(low) else {
      source = before
      return nil
    }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func hexadecimal() throws(ImportProblem) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = source.next(), let digit = byte.hexadecimalValue
      else { throw problem("Four hexadecimal digits are expected here.") }
      code = code << 4 | UInt32(digit)
    }
    return code
  }

  private mutating func number() throws(ImportProblem) -> PositionedJSON.Value {
    let start = source.offset
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    guard let number = Double(source.text(from: start)), number.isFinite else {
      return .unusable("This number is too large.")
    }
    return .number(number)
  }

  private mutating func digits() throws(ImportProblem) {
    var count = 0
    while let byte = source.peek, byte.isASCIIDigit {
      source.advance()
      count += 1
    }
    guard count > 0 else { throw problem("A digit is expected here.") }
  }

  private mutating func word(
    _ word: StaticString, _ value: PositionedJSON.Value
  ) throws(ImportProblem) -> PositionedJSON.Value {
    guard source.starts(with: word) else { throw problem("A value is expected here.") }
    source.advance(by: word.utf8CodeUnitCount)
    return value
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard source.peek == byte else { return false }
    source.advance()
    return true
  }

  private func problem(_ sentence: String) -> ImportProblem {
    ImportProblem(line: source.line, sentence)
  }
}

/// A cursor over the bytes of a text file that tracks its line.
struct SourceLines {
  let bytes: [UInt8]
  private(set) var offset = 0
  /// The line of the next byte, from 1.
  private(set) var line = 1

  /// - Throws: `ImportProblem` if the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    if let end = Self.firstInvalid(in: bytes) {
      var reader = self
      while reader.offset < end { reader.advance() }
      throw ImportProblem(line: reader.line, "This line is not UTF-8 text.")
    }
  }

  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func advance() {
    guard offset < bytes.count else { return }
    let byte = bytes[offset]
    offset += 1
    // A line break at the end of the file does not start another line, so the number stays within
    // the file.
    guard offset < bytes.count else { return }
    if byte == 0x0A || (byte == 0x0D && bytes[offset] != 0x0A) { line += 1 }
  }

  mutating func advance(by count: Int) {
    for _ in 0..<count { advance() }
  }

  mutating func next() -> UInt8? {
    defer { advance() }
    return peek
  }

  mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      advance()
    }
  }

  func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
  }

  func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  /// The offset of the first invalid UTF-8 sequence; nil if there is none.
  private static func firstInvalid(in bytes: [UInt8]) -> Int? {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var valid = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): valid += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return min(valid, max(0, bytes.count - 1))
      }
    }
  }
}
