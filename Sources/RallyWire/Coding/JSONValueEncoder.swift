import FoundationEssentials
import RallyText

/// Encodes typed values as `JSONValue` directly, without text in between.
///
/// Writes what the wire's types and the stored ones consist of: strings, numbers, truth values,
/// arrays and objects. Ids are in lower case, as PostgreSQL writes them (Foundation would write
/// upper case), and `Data` is Base64. `Date`, `URL` and `Decimal` stand in none of them.
final class JSONValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.nothing

  private enum Content {
    case nothing
    case value(JSONValue)
    case array(JSONArrayBox)
    case object(JSONObjectBox)
  }

  init(codingPath: [any CodingKey] = []) { self.codingPath = codingPath }

  /// - Throws: `EncodingError` for a number that JSON does not have.
  static func encode<T: Encodable>(_ value: T, at path: [any CodingKey] = []) throws -> JSONValue {
    if T.self == JSONValue.self, let value = value as? JSONValue { return value }
    if T.self == UUID.self, let value = value as? UUID { return .string(value.wireText) }
    if T.self == Data.self, let value = value as? Data {
      return .string(value.base64EncodedString())
    }
    let encoder = JSONValueEncoder(codingPath: path)
    try value.encode(to: encoder)
    return encoder.result
  }

  /// What was encoded; an empty object where nothing was.
  var result: JSONValue {
    switch content {
    case .nothing: .object([:])
    case .value(let value): value
    case .array(let box): .array(box.values)
    case .object(let box): .object(box.values)
    }
  }

  fileprivate func set(_ value: JSONValue) { content = .value(value) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // A type and its superclass may ask for one each.
    if case .object(let box) = content { return KeyedEncodingContainer(Keyed(box, codingPath)) }
    let box = JSONObjectBox()
    content = .object(box)
    return KeyedEncodingContainer(Keyed(box, codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let box = JSONArrayBox()
    content = .array(box)
    return Unkeyed(box, codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }
}

/// The members of an object that is being encoded, with encoders whose values are not known yet.
private final class JSONObjectBox {
  var known: [String: JSONValue] = [:]
  var open: [(key: String, encoder: JSONValueEncoder)] = []

  var values: [String: JSONValue] { open.reduce(into: known) { $0[$1.key] = $1.encoder.result } }
}

/// The elements of an array that is being encoded.
private final class JSONArrayBox {
  var known: [JSONValue] = []
  var open: [(index: Int, encoder: JSONValueEncoder)] = []

  var values: [JSONValue] { open.reduce(into: known) { $0[$1.index] = $1.encoder.result } }
}

extension JSONValueEncoder {
  fileprivate static func value(_ number: Double, at path: [any CodingKey]) throws -> JSONValue {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: path, debugDescription: "JSON has no \(number)."))
    }
    // As it is read back: text has no sign of the type.
    return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }

  fileprivate static func value(
    _ number: some BinaryInteger, at path: [any CodingKey]
  ) throws -> JSONValue {
    guard let number = Int64(exactly: number) else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: path, debugDescription: "\(number) is too large."))
    }
    return .integer(number)
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]
  private let box: JSONObjectBox

  init(_ box: JSONObjectBox, _ path: [any CodingKey]) {
    self.box = box
    codingPath = path
  }

  private func set(_ value: JSONValue, _ key: Key) { box.known[key.stringValue] = value }
  private func path(_ key: Key) -> [any CodingKey] { codingPath + [key] }

  func encodeNil(forKey key: Key) { set(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
  func encode(_ value: Int, forKey key: Key) { set(.integer(Int64(value)), key) }
  func encode(_ value: Double, forKey key: Key) throws {
    set(try JSONValueEncoder.value(value, at: path(key)), key)
  }
  func encode(_ value: some Encodable, forKey key: Key) throws {
    set(try JSONValueEncoder.encode(value, at: path(key)), key)
  }

  private func nested(_ key: String, _ path: [any CodingKey]) -> JSONValueEncoder {
    let encoder = JSONValueEncoder(codingPath: path)
    box.open.append((key, encoder))
    return encoder
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key.stringValue, path(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key.stringValue, path(key)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested("super", codingPath) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue, path(key)) }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey]
  private let box: JSONArrayBox

  init(_ box: JSONArrayBox, _ path: [any CodingKey]) {
    self.box = box
    codingPath = path
  }

  var count: Int { box.known.count }

  func encodeNil() { box.known.append(.null) }
  func encode(_ value: Bool) { box.known.append(.bool(value)) }
  func encode(_ value: String) { box.known.append(.string(value)) }
  func encode(_ value: Double) throws {
    box.known.append(try JSONValueEncoder.value(value, at: codingPath))
  }
  func encode(_ value: some Encodable) throws {
    box.known.append(try JSONValueEncoder.encode(value, at: codingPath))
  }

  private func nested() -> JSONValueEncoder {
    let encoder = JSONValueEncoder(codingPath: codingPath)
    box.open.append((box.known.count, encoder))
    box.known.append(.null)
    return encoder
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

private struct Single: SingleValueEncodingContainer {
  let encoder: JSONValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.set(.null) }
  func encode(_ value: Bool) { encoder.set(.bool(value)) }
  func encode(_ value: String) { encoder.set(.string(value)) }
  func encode(_ value: Double) throws {
    encoder.set(try JSONValueEncoder.value(value, at: codingPath))
  }
  func encode(_ value: Float) throws {
    encoder.set(try JSONValueEncoder.value(Double(value), at: codingPath))
  }
  func encode(_ value: Int) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: Int8) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: Int16) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: Int32) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: Int64) { encoder.set(.integer(value)) }
  func encode(_ value: UInt8) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: UInt16) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: UInt32) { encoder.set(.integer(Int64(value))) }
  func encode(_ value: UInt) throws {
    encoder.set(try JSONValueEncoder.value(value, at: codingPath))
  }
  func encode(_ value: UInt64) throws {
    encoder.set(try JSONValueEncoder.value(value, at: codingPath))
  }
  func encode(_ value: some Encodable) throws {
    encoder.set(try JSONValueEncoder.encode(value, at: codingPath))
  }
}

extension JSONValue {
  /// The value of a typed row as JSON.
  ///
  /// - Throws: `EncodingError`.
  public init(encoding value: some Encodable) throws { self = try JSONValueEncoder.encode(value) }

  /// This value as a typed row.
  ///
  /// - Throws: `DecodingError` if it has another shape.
  public func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try WireJSON.decode(type, from: WireJSON.encode(self))
  }
}
