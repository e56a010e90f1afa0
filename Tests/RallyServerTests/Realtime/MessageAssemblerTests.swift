import NIOCore
import NIOWebSocket
import RallyTestSupport
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct MessageAssemblerTests {
  private func frame(
    _ opcode: WebSocketOpcode, _ bytes: [UInt8] = [], fin: Bool = true, isMasked: Bool = true,
    rsv: (Bool, Bool, Bool) = (false, false, false)
  ) -> WebSocketFrame {
    var data = ByteBuffer(bytes: bytes)
    let key: WebSocketMaskingKey = [9, 8, 7, 6]
    if isMasked { data.webSocketMask(key) }
    var frame = WebSocketFrame(
      fin: fin, opcode: opcode, maskKey: isMasked ? key : nil, data: data)
    (frame.rsv1, frame.rsv2, frame.rsv3) = rsv
    return frame
  }

  private func violation(_ frames: [WebSocketFrame]) -> Int? {
    var assembler = MessageAssembler()
    do throws(MessageAssembler.Violation) {
      for frame in frames { _ = try assembler.take(frame) }
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `fragments become one message, with control frames in between`() throws {
    var assembler = MessageAssembler()
    let text = Array("héllo".utf8)
    let messages = try [
      frame(.text, Array(text.prefix(2)), fin: false), frame(.ping, [1]),
      frame(.continuation, [], fin: false), frame(.continuation, Array(text.dropFirst(2))),
      frame(.binary, [255]),
    ].map { try assembler.take($0) }
    #expect(
      messages == [
        nil, .ping(ByteBuffer(bytes: [1])), nil, .text("héllo"),
        .binary(ByteBuffer(bytes: [255])),
      ])
  }

  @Test func `what the protocol forbids has its code`() {
    #expect(violation([frame(.text, [], isMasked: false)]) == 1002)
    #expect(violation([frame(.text, rsv: (true, false, false))]) == 1002)
    #expect(violation([frame(.ping, rsv: (false, false, true))]) == 1002)
    #expect(violation([frame(.continuation)]) == 1002)
    #expect(violation([frame(.text, fin: false), frame(.text)]) == 1002)
    #expect(violation([frame(.text, fin: false), frame(.binary)]) == 1002)
    for code: UInt8 in [3, 4, 5, 6, 7, 0xB, 0xC, 0xD, 0xE, 0xF] {
      let opcode = WebSocketOpcode(encodedWebSocketOpcode: code) ?? .text
      #expect(violation([frame(opcode)]) == 1002)
    }
    #expect(violation([frame(.text, [0xC3])]) == 1007)
    #expect(violation([frame(.text, [0xED, 0xA0, 0x80])]) == 1007)
    #expect(violation([frame(.binary, [0xC3])]) == nil)
  }

  @Test(
    arguments: [
      ([], nil), ([0x03], 1002), ([0x03, 0xE8], nil), ([0x03, 0xE7], 1002), ([0x03, 0xEC], 1002),
      ([0x03, 0xED], 1002), ([0x03, 0xEE], 1002), ([0x03, 0xEF], nil), ([0x03, 0xF7], 1002),
      ([0x0B, 0xB7], 1002), ([0x0B, 0xB8], nil), ([0x13, 0x87], nil), ([0x13, 0x88], 1002),
      ([0x03, 0xE8, 0xFF], 1007),
    ] as [([UInt8], Int?)])
  func `a close carries a code that may travel, and a text`(_ data: [UInt8], _ code: Int?) {
    #expect(violation([frame(.connectionClose, data)]) == code)
  }

  @Test func `a message has a size and a number of fragments`() {
    let half = [UInt8](repeating: 0x61, count: MessageAssembler.messageLimit / 2 + 1)
    #expect(violation([frame(.text, half, fin: false), frame(.continuation, half)]) == 1009)
    #expect(violation([frame(.text, half), frame(.text, half)]) == nil)
    let crumbs = Array(
      repeating: frame(.continuation, fin: false), count: MessageAssembler.fragmentLimit)
    #expect(violation([frame(.text, fin: false)] + crumbs) == 1009)
  }

  /// Whatever comes, in whatever order: a message, nothing, or a code, and memory within its limit.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random frames never do anything else`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var messages = 0
    for _ in 0..<300 {
      var assembler = MessageAssembler()
      for _ in 0..<40 {
        let opcode = WebSocketOpcode(
          encodedWebSocketOpcode: Bool.random(using: &random)
            ? [0, 1, 2, 8, 9, 10].randomElement(using: &random) ?? 0
            : UInt8.random(in: 0...15, using: &random))
        let length = [0, 1, 2, 5, 125, 4000].randomElement(using: &random) ?? 0
        let bytes = (0..<length).map { _ in
          Int.random(in: 0..<30, using: &random) == 0
            ? UInt8.random(in: 0...255, using: &random) : 0x61
        }
        do throws(MessageAssembler.Violation) {
          let message = try assembler.take(
            frame(
              opcode ?? .text, bytes, fin: Bool.random(using: &random),
              isMasked: Int.random(in: 0..<20, using: &random) > 0))
          if case .text(let text)? = message {
            #expect(text.utf8.count <= MessageAssembler.messageLimit)
          }
          if message != nil { messages += 1 }
        } catch {
          #expect([1002, 1007, 1009].contains(error.code))
          break
        }
      }
    }
    #expect(messages > 100)
  }
}
