import Foundation
import NIOCore
import NIOWebSocket
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Frames, messages and filters of a hostile client are read or refused, soon.
@Suite struct RealtimeInputFuzzTests {
  private static let opcodes: [WebSocketOpcode] = [
    .text, .binary, .continuation, .ping, .pong, .connectionClose,
  ]

  private static func bytes(_ most: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &random)).map { _ in .random(in: 0...255, using: &random) }
  }

  private static func text(
    _ pieces: [String], _ most: Int, _ random: inout SeededGenerator
  ) -> String {
    (0..<Int.random(in: 0...most, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `frames in any order make a message or a violation`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var assembler = MessageAssembler()
      CPUTimeLimit.check("frames") {
        for _ in 0..<20 {
          let bytes = Self.bytes(300, &random)
          let frame = WebSocketFrame(
            fin: Bool.random(using: &random), rsv1: Int.random(in: 0..<9, using: &random) == 0,
            opcode: Self.opcodes.randomElement(using: &random) ?? .text,
            maskKey: [1, 2, 3, 4], data: ByteBuffer(bytes: bytes))
          do throws(MessageAssembler.Violation) {
            _ = try assembler.take(frame)
          } catch {
            #expect([1002, 1007, 1009].contains(error.code))
            return
          }
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `texts and frames are a message of either version or none`(seed: UInt64) throws {
    let pieces = [
      "{", "}", "[", "]", ",", ":", "null", "\"topic\"", "\"event\"", "\"payload\"", "\"ref\"",
      "\"phx_join\"", "\"realtime:a\"", "1", "-1e999", "\"\\ud800\"", "\"\\u0000\"", " ",
      String(repeating: "[", count: 600),
    ]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let text = Self.text(pieces, 16, &random)
      let frame = [BroadcastPush.pushKind] + Self.bytes(80, &random)
      for version in ["1.0.0", "2.0.0"] {
        let serializer = try #require(RealtimeSerializer(version: version))
        CPUTimeLimit.check(text) {
          if case .message(let message) = serializer.message(text) {
            #expect(!serializer.text(message).isEmpty)
          }
          _ = serializer.message(frame)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `filters of a binding pass rows or are refused`(seed: UInt64) {
    let relation = ReadableTable.friendships.relation
    let row: JSONRow = [
      "id": "00000000-0000-4000-8000-000000000001", "status": "accepted", "version": .integer(3),
      "created_at": "2026-01-01T00:00:00.000000+00:00",
    ]
    let pieces = [
      "id", "status", "version", "created_at", "nowhere", "=", "=", ".", ",", "eq.", "neq.",
      "in.(", "(", ")", "\"", "\\", "not.", "match.", "imatch.", "isdistinct.", "like.", "null",
      "accepted", "1", "99999999999999999999", "*", "%", "^a|b$", "[a-z]{2,}", "(", "😀", "\u{301}",
      String(repeating: "not.", count: 200), String(repeating: "(", count: 300),
    ]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      let text = Self.text(pieces, 12, &random)
      CPUTimeLimit.check(text) {
        do throws(ChangeFilter.Unsupported) {
          _ = try ChangeFilter(text, on: relation).matches(row)
        } catch {
          #expect(!error.message.isEmpty)
        }
      }
    }
  }

  @Test func `lists of values are read or refused`() {
    let pieces = ["{", "}", ",", "\"", "\\", "null", "NULL", " ", "a", "é", "{{", "\u{0}"]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5000 {
      let text = Self.text(pieces, 14, &random)
      CPUTimeLimit.check(text) { _ = ArrayLiteral.elements(of: text) }
    }
  }
}
