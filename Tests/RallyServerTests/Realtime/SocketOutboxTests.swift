import RallyWire
import Synchronization
import Testing

@testable import RallyServer

@Suite struct SocketOutboxTests {
  @Test func `a reader that is too slow is cut off, a quick one is not`() async {
    let isCutOff = Mutex(false)
    let message = RealtimeMessage(
      topic: "realtime:a", event: .system,
      payload: ["text": .string(String(repeating: "x", count: 100_000))])
    func fill(_ outbox: SocketOutbox, isRead: Bool) async {
      var items = outbox.items.makeAsyncIterator()
      for _ in 0..<20 {
        outbox.send(message)
        if isRead, case .text(let text)? = await items.next() { outbox.didWrite(text) }
      }
    }
    await fill(SocketOutbox(serializer: .v1) { isCutOff.withLock { $0 = true } }, isRead: true)
    #expect(!isCutOff.withLock { $0 })
    await fill(SocketOutbox(serializer: .v1) { isCutOff.withLock { $0 = true } }, isRead: false)
    #expect(isCutOff.withLock { $0 })
  }
}
