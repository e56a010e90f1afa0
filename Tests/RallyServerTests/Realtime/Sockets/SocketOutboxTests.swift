import RallyTestSupport
import RallyText
import RallyWire
import Synchronization
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct SocketOutboxTests {
  private func outbox(_ closings: Counter = Counter()) -> SocketOutbox {
    SocketOutbox(serializer: .v1) { closings.increment() }
  }

  private static let message = RealtimeMessage(
    topic: "realtime:a", event: .system,
    payload: ["text": .string(String(repeating: "x", count: 100_000))])

  @Test func `a reader that is quick enough gets everything in order`() {
    let (closings, count) = (Counter(), 30)
    let outbox = outbox(closings)
    for _ in 0..<count {
      outbox.send(Self.message)
      guard case .text? = outbox.next() else {
        Issue.record("nothing came")
        return
      }
    }
    #expect(closings.value == 0)
  }

  @Test func `a reader that is too slow hears why, and nothing that waited`() {
    let closings = Counter()
    let outbox = outbox(closings)
    for _ in 0..<30 { outbox.send(Self.message) }
    #expect(closings.value == 1)
    #expect(outbox.next() == .close(code: 1013, reason: "too slow a reader"))
    #expect(outbox.next() == nil)
  }

  @Test func `answers to pings count, too`() {
    let closings = Counter()
    let outbox = outbox(closings)
    for _ in 0..<20_000 { outbox.add(.pong([])) }
    #expect(closings.value == 1)
    #expect(outbox.takeAll().count == 1)
  }

  @Test func `after the last frame nothing is taken any more`() {
    let closings = Counter()
    let outbox = outbox(closings)
    outbox.close(1000, reason: String(repeating: "é", count: 100))
    outbox.close(1001)
    outbox.send(Self.message)
    #expect(closings.value == 1)
    guard case .close(1000, let reason)? = outbox.next() else {
      Issue.record("no close")
      return
    }
    #expect(reason.utf8.count <= 123)
    #expect(outbox.next() == nil)
  }

  @Test func `the writer is called once until it found the queue empty`() {
    let calls = Counter()
    let outbox = SocketOutbox(serializer: .v1) {
      calls.increment()
    } onClose: {
    }
    outbox.add(.pong([1]))
    outbox.add(.pong([2]))
    #expect(calls.value == 1)
    #expect(outbox.next() == .pong([1]))
    outbox.add(.pong([3]))
    #expect(outbox.next() == .pong([2]))
    #expect(outbox.next() == .pong([3]))
    #expect(calls.value == 1)
    #expect(outbox.next() == nil)
    outbox.add(.pong([4]))
    #expect(calls.value == 2)
    outbox.finish()
    outbox.add(.pong([5]))
    #expect(outbox.next() == .pong([4]))
    #expect(outbox.next() == nil)
    #expect(calls.value == 2)
  }
}
