import Foundation
import RallyText
import Testing

@testable import RallyWire

/// Compared with `JSONEncoder`.
@Suite struct JSONWriterTests {
  private struct Inner: Codable, Hashable {
    var name: String
    var scale: Double?
  }

  private struct Row: Codable, Hashable {
    var text: String
    var count: Int
    var small: Int8
    var large: UInt32
    var ratio: Double
    var isOn: Bool
    var missing: String?
    var inner: Inner
    var list: [Inner]
    var numbers: [Int]
    var place: [Double]
    var table: [String: Bool]
    var time: WireTime
    var anything: JSONValue
  }

  private static func expected(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return try encoder.encode(value)
  }

  /// Letters of four ranges, among them control characters, quotes and marks.
  private static func text(_ random: inout SeededGenerator) -> String {
    let starts: [UInt32] = [0, 0x80, 0x2100, 0x1_F680]
    let scalars = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in
      Unicode.Scalar(
        (starts.randomElement(using: &random) ?? 0) + .random(in: 0..<0x80, using: &random))
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func number(_ random: inout SeededGenerator) -> Double {
    let digits = Double(Int.random(in: -1_000_000...1_000_000, using: &random))
    return digits / ([1, 10, 1e5, 1e9, 1e-9].randomElement(using: &random) ?? 1)
  }

  private static func row(_ seed: UInt64) -> Row {
    var random = SeededGenerator(seed: seed)
    return Row(
      text: text(&random), count: .random(in: .min ... .max, using: &random), small: -7,
      large: .random(in: 0 ... .max, using: &random), ratio: number(&random),
      isOn: seed.isMultiple(of: 2), missing: seed.isMultiple(of: 3) ? text(&random) : nil,
      inner: Inner(name: text(&random), scale: seed.isMultiple(of: 5) ? nil : number(&random)),
      list: [
        Inner(name: text(&random), scale: number(&random)), Inner(name: "", scale: nil),
      ],
      numbers: [1, -2, 0], place: [number(&random), number(&random)],
      table: ["a_b": true, "ab": false, "a": true, "B": false, "b10": true, "b9": true],
      time: .now,
      anything: ["b": [nil, true, 1, .number(0.5), .string(text(&random))], "a": [:]])
  }

  @Test(arguments: UInt64(0)..<300)
  func `typed rows become the bytes that JSONEncoder writes`(seed: UInt64) throws {
    let row = Self.row(seed)
    let value = try JSONValue(encoding: row)
    let expected = try Self.expected(row)
    let written = String(decoding: JSONWriter.bytes(of: value), as: UTF8.self)
    #expect(written == String(decoding: expected, as: UTF8.self))
    #expect(value == (try WireJSON.decode(JSONValue.self, from: expected)))
    #expect(try value.decoded(as: Row.self) == row)
  }

  @Test func `every character of ASCII is written as JSONEncoder does it`() throws {
    for scalar in (0...0x7F).compactMap({ Unicode.Scalar($0 as Int) }) {
      let text = String(Character(scalar))
      #expect(JSONWriter.bytes(of: .string(text)) == Array(try Self.expected(text)))
    }
  }

  @Test func `an id is written in lower case wherever it stands, and bytes as Base64`() throws {
    struct Ids: Codable, Equatable {
      var one: UUID
      var some: UUID?
      var none: UUID?
      var list: [UUID]
      var table: [String: UUID]
      var data: Data
    }
    let (a, b) = (UUID(), UUID())
    let ids = Ids(
      one: a, some: b, list: [a, b], table: ["x": a], data: Data([0, 255, 16, 62, 63]))
    let (c, d) = (a.uuidString.lowercased(), b.uuidString.lowercased())
    let text = try WireJSON.text(ids)
    #expect(
      text
        == #"{"data":"AP8QPj8=","list":["\#(c)","\#(d)"],"one":"\#(c)","some":"\#(d)","#
        + #""table":{"x":"\#(c)"}}"#)
    #expect(try WireJSON.text(a) == "\"\(c)\"")
    #expect(try WireJSON.decode(Ids.self, from: Data(text.utf8)) == ids)
  }

  @Test func `a number that JSON does not have is refused`() {
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(throws: EncodingError.self) { try JSONValue(encoding: [number]) }
      #expect(throws: EncodingError.self) { try JSONValue(encoding: ["n": number]) }
    }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: ["n": UInt64.max]) }
  }

  /// Asks for containers in containers, as a type with another shape than its properties does.
  private struct Nested: Encodable {
    enum Key: CodingKey { case outer, list, own, inner }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      var outer = object.nestedContainer(keyedBy: Key.self, forKey: .outer)
      try outer.encode(1, forKey: .inner)
      var list = object.nestedUnkeyedContainer(forKey: .list)
      try list.encode("a")
      var element = list.nestedContainer(keyedBy: Key.self)
      try element.encodeNil(forKey: .inner)
      try list.encode(2.5)
      try "super".encode(to: object.superEncoder(forKey: .own))
    }
  }

  @Test func `containers in containers are filled after they were asked for`() throws {
    let value = try JSONValue(encoding: Nested())
    #expect(
      value == [
        "outer": ["inner": 1], "list": ["a", ["inner": nil], .number(2.5)], "own": "super",
      ])
    #expect(JSONWriter.bytes(of: value) == Array(try Self.expected(Nested())))
  }
}
