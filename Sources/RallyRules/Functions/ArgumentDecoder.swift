import Foundation
import RallyText
import RallyWire

/// Decodes a call with its named JSON arguments, with PostgREST's errors.
package enum FunctionArguments {
  /// The body has more values than `WireJSON.mostValues`.
  package struct TooManyValues: Error {}

  static func decode<F: RemoteFunction>(_ type: F.Type, from data: Data) throws -> FunctionCall<F> {
    let arguments = try arguments(in: data)
    let unknown = FunctionFailure.unknown(
      F.name, arguments: arguments.keys, suggestion: signature(of: F.self))
    guard Set(arguments.keys).isSubset(of: F.parameters) else { throw unknown }
    do {
      return try FunctionCall(from: ArgumentDecoder(value: .object(arguments)))
    } catch DecodingError.keyNotFound(_, let context) where context.codingPath.isEmpty {
      throw unknown
    } catch DecodingError.keyNotFound(let key, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath + [key])) is missing.")
    } catch DecodingError.valueNotFound(_, let context) {
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be null.")
    } catch DecodingError.typeMismatch(_, let context) {
      throw FunctionFailure(
        code: "22P02", message: "invalid input syntax for \(path(context.codingPath))",
        hint: FailureReason.invalidArgument.rawValue)
    } catch DecodingError.dataCorrupted(let context) {
      let text = value(at: context.codingPath, in: arguments)?.string ?? ""
      throw FunctionFailure(.invalidArgument, "\(path(context.codingPath)) cannot be “\(text)”.")
    } catch var failure as FunctionFailure {
      failure.hint = FailureReason.invalidArgument.rawValue
      throw failure
    }
  }

  /// The argument names of a body; an empty body has none.
  package static func names(in data: Data) throws -> Set<String> {
    Set(try arguments(in: data).keys)
  }

  private static func arguments(in data: Data) throws -> [String: JSONValue] {
    do throws(JSONReader.Problem) {
      if let arguments = try WireJSON.value(of: data).object { return arguments }
    } catch .tooManyValues {
      throw TooManyValues()
    } catch {}
    throw FunctionFailure(code: "PGRST102", message: "Empty or invalid json")
  }

  private static func value(
    at path: [any CodingKey], in arguments: [String: JSONValue]
  ) -> JSONValue? {
    path.reduce(.object(arguments)) { value, key in
      key.intValue.map { value?.array?[$0] } ?? value?[key.stringValue]
    }
  }

  /// As in `p_objectives[0].title`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("") { path, key in
      if let index = key.intValue { return "\(path)[\(index)]" }
      return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
    }
  }

  private static func signature<F: RemoteFunction>(of type: F.Type) -> String {
    "\(F.name)(\(F.parameters.sorted().joined(separator: ", ")))"
  }

  /// The arguments of a GET request, all of which are text.
  package static func json(fromQuery items: [QueryItem]) throws -> Data {
    try WireJSON.encode(Dictionary(items.map { ($0.name, $0.value) }) { _, last in last })
  }
}

/// PostgreSQL's text of a list: `{a, "b, \"c\"", NULL}`.
enum ArrayLiteral {
  /// nil for other text, and for lists of lists, which no function takes.
  static func elements(of text: String) -> [JSONValue]? {
    guard text.count >= 2, text.first == "{", text.last == "}" else { return nil }
    var rest = text.dropFirst().dropLast()
    skipSpaces(&rest)
    if rest.isEmpty { return [] }
    var elements: [JSONValue] = []
    while true {
      skipSpaces(&rest)
      guard let element = rest.first == "\"" ? quoted(&rest) : bare(&rest) else { return nil }
      elements.append(element)
      skipSpaces(&rest)
      guard let separator = rest.popFirst() else { return elements }
      guard separator == "," else { return nil }
    }
  }

  private static func bare(_ rest: inout Substring) -> JSONValue? {
    let word = rest.prefix { !"{},\"\\".contains($0) }
    rest = rest[word.endIndex...]
    guard let end = word.lastIndex(where: { $0 != " " }) else { return nil }
    return word[...end].lowercased() == "null" ? .null : .string(String(word[...end]))
  }

  private static func quoted(_ rest: inout Substring) -> JSONValue? {
    var text = ""
    rest.removeFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"": return .string(text)
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        text.append(next)
      default: text.append(character)
      }
    }
    return nil
  }

  private static func skipSpaces(_ rest: inout Substring) { rest = rest.drop { $0 == " " } }
}

/// Decodes the arguments of a call as PostgreSQL does: numbers, booleans, ids, times and lists may
/// also come as text, as they do in a query string.
///
/// Supports integers and `Double`. Throws PostgreSQL's errors for invalid text, and `DecodingError`
/// for missing, null or mistyped values.
package struct ArgumentDecoder: Decoder {
  package let value: JSONValue
  package var codingPath: [any CodingKey] = []

  package init(value: JSONValue, codingPath: [any CodingKey] = []) {
    self.value = value
    self.codingPath = codingPath
  }

  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  package func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    guard let values = value.object else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(Members(values: values, codingPath: codingPath))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let values): return Elements(values: values, codingPath: codingPath)
    case .string(let text):
      guard let values = ArrayLiteral.elements(of: text) else {
        throw FunctionFailure(code: "22P02", message: "malformed array literal: \"\(text)\"")
      }
      return Elements(values: values, codingPath: codingPath)
    default: throw mismatch([Any].self)
    }
  }

  package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  fileprivate func child(_ value: JSONValue, _ key: any CodingKey) -> ArgumentDecoder {
    ArgumentDecoder(value: value, codingPath: codingPath + [key])
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

// MARK: - Single values

extension ArgumentDecoder: SingleValueDecodingContainer {
  package func decodeNil() -> Bool { value == .null }

  package func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let found: Any? =
      switch type {
      case is String.Type: value.string
      case is JSONValue.Type: value
      case is Bool.Type: try bool()
      case let type as any FixedWidthInteger.Type: try integer(type)
      case is Double.Type: try number()
      case is UUID.Type: try id()
      case is WireTime.Type: try time()
      default: try T(from: self)
      }
    guard let result = found as? T else { throw mismatch(type) }
    return result
  }

  /// The text form of a value, as PostgreSQL parses it.
  private func text(of type: Any.Type) throws -> String {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .bool(let flag): String(flag)
    case .null, .array, .object: throw mismatch(type)
    }
  }

  private func bool() throws -> Bool? {
    guard case .bool(let flag) = try RowValue(text(of: Bool.self), as: .bool) else { return nil }
    return flag
  }

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let text = try text(of: type)
    if let number = Number(text) { return number }
    guard Int64(text) != nil || (Double(text)?.magnitude ?? 0) >= 0x1p63 else {
      throw FunctionFailure(
        code: "22P02", message: "invalid input syntax for type integer: \"\(text)\"")
    }
    throw FunctionFailure(
      code: "22003", message: "value \"\(text)\" is out of range for type integer")
  }

  /// Infinite numbers are refused.
  private func number() throws -> Double? {
    guard case .number(let number) = try RowValue(text(of: Double.self), as: .number),
      number.isFinite
    else { return nil }
    return number
  }

  private func id() throws -> UUID? {
    try RowValue(text(of: UUID.self), as: .uuid).key.flatMap(UUID.init(wireText:))
  }

  private func time() throws -> WireTime? {
    guard case .time(let time) = try RowValue(text(of: WireTime.self), as: .time) else {
      return nil
    }
    return time
  }
}

// MARK: - Objects and lists

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: JSONValue]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { values.keys.contains(key.stringValue) }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { whole }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

  private var whole: ArgumentDecoder {
    ArgumentDecoder(value: .object(values), codingPath: codingPath)
  }

  private func member(_ key: Key) throws -> ArgumentDecoder {
    guard let value = values[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: ""))
    }
    return whole.child(value, key)
  }
}

/// The elements of a list.
private struct Elements: UnkeyedDecodingContainer {
  struct Index: CodingKey {
    let number: Int

    init(_ number: Int) { self.number = number }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }

    var intValue: Int? { number }
    var stringValue: String { String(number) }
  }

  let values: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(values: [JSONValue], codingPath: [any CodingKey]) {
    self.values = values
    self.codingPath = codingPath
  }

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  mutating func decodeNil() throws -> Bool {
    guard try element().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  private func element() throws -> ArgumentDecoder {
    let key = Index(currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self,
        DecodingError.Context(codingPath: codingPath + [key], debugDescription: ""))
    }
    return ArgumentDecoder(value: values[currentIndex], codingPath: codingPath + [key])
  }

  private mutating func next() throws -> ArgumentDecoder {
    let element = try element()
    currentIndex += 1
    return element
  }
}
