import RallyWire
import Synchronization
import Testing

@testable import RallyServer

@Suite struct SocketOutboxTests {
  private func outbox(_ closings: Counter = Counter()) -> SocketOutbox {
    SocketOutbox(serializer: .v1) { closings.increment() }
  }

  private static let message = RealtimeMessage(
    topic: "realtime:a", event: .system,
    payload: ["text": .string(String(repeating: "x", count: 100_000))])

  @Test func `a reader that is quick enough gets everything in order`() async {
    let (closings, count) = (Counter(), 30)
    let outbox = outbox(closings)
    for _ in 0..<count {
      outbox.send(Self.message)
      guard case .text? = await outbox.next() else {
        Issue.record("nothing came")
        return
      }
    }
    #expect(closings.value == 0)
  }

  @Test func `a reader that is too slow hears why, and nothing that waited`() async {
    let closings = Counter()
    let outbox = outbox(closings)
    for _ in 0..<30 { outbox.send(Self.message) }
    #expect(closings.value == 1)
    #expect(await outbox.next() == .close(code: 1013, reason: "too slow a reader"))
    #expect(await outbox.next() == nil)
  }

  @Test func `answers to pings count, too`() {
    let closings = Counter()
    let outbox = outbox(closings)
    for _ in 0..<20_000 { outbox.add(.pong([])) }
    #expect(closings.value == 1)
    #expect(outbox.takeAll().count == 1)
  }

  @Test func `after the last frame nothing is taken any more`() async {
    let closings = Counter()
    let outbox = outbox(closings)
    outbox.close(1000, reason: String(repeating: "é", count: 100))
    outbox.close(1001)
    outbox.send(Self.message)
    #expect(closings.value == 1)
    guard case .close(1000, let reason)? = await outbox.next() else {
      Issue.record("no close")
      return
    }
    #expect(reason.utf8.count <= 123)
    #expect(await outbox.next() == nil)
  }

  @Test func `whoever waits is woken by a frame, by the end and by cancellation`() async {
    let first = outbox()
    async let item = first.next()
    first.add(.pong([1]))
    #expect(await item == .pong([1]))

    let second = outbox()
    async let none = second.next()
    second.finish()
    #expect(await none == nil)

    let third = outbox()
    let waiting = Task { await third.next() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }
}
