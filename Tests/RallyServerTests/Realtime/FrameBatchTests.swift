import NIOCore
import NIOPosix
import RallyTestSupport
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct FrameBatchTests {
  private let loop = MultiThreadedEventLoopGroup.singleton.any()

  /// - Parameters:
  ///   - inLoop: Calls of the writer on the event loop.
  ///   - elsewhere: Calls on other threads.
  private func outbox(inLoop: Counter, elsewhere: Counter) -> SocketOutbox {
    SocketOutbox(serializer: .v1, loop: loop) { [loop] in
      (loop.inEventLoop ? inLoop : elsewhere).increment()
    } onClose: {
    }
  }

  @Test func `sockets are written on their loop when the batch is complete`() async throws {
    let (inLoop, elsewhere) = (Counter(), Counter())
    let outboxes = (0..<3).map { _ in outbox(inLoop: inLoop, elsewhere: elsewhere) }
    var batch = FrameBatch()
    for outbox in outboxes { batch.add(.text("a"), to: outbox) }
    // The writer of a socket takes this one with the first.
    batch.add(.text("b"), to: outboxes[0])
    try await loop.submit {}.get()
    #expect(inLoop.value == 0)
    batch.finish()
    batch.finish()
    try await loop.submit {}.get()
    #expect(inLoop.value == 3)
    #expect(elsewhere.value == 0)
    #expect(outboxes[0].takeAll() == [.text("a"), .text("b")])
  }

  @Test func `the first of a large batch do not wait for the last`() async throws {
    let (inLoop, elsewhere) = (Counter(), Counter())
    var batch = FrameBatch()
    for _ in 0..<100 { batch.add(.text("a"), to: outbox(inLoop: inLoop, elsewhere: elsewhere)) }
    try await loop.submit {}.get()
    #expect((1..<100).contains(inLoop.value))
    batch.finish()
    try await loop.submit {}.get()
    #expect(inLoop.value == 100)
  }
}
