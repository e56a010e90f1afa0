import NIOCore

/// Frames for many sockets: each event loop is woken once for those that it serves, not for each.
struct FrameBatch {
  /// Sockets of a loop that do not wait for the rest of the batch.
  private static let limit = 64

  private var waiting: [(loop: any EventLoop, outboxes: [SocketOutbox])] = []

  mutating func add(_ item: SocketOutbox.Item, to outbox: SocketOutbox) {
    guard outbox.put(item) else { return }
    guard let loop = outbox.loop else { return outbox.write() }
    guard let place = waiting.firstIndex(where: { $0.loop === loop }) else {
      return waiting.append((loop, [outbox]))
    }
    waiting[place].outboxes.append(outbox)
    if waiting[place].outboxes.count == FrameBatch.limit {
      FrameBatch.write(waiting.remove(at: place).outboxes, on: loop)
    }
  }

  /// Writes what was added; the end of every batch.
  mutating func finish() {
    for (loop, outboxes) in waiting { FrameBatch.write(outboxes, on: loop) }
    waiting = []
  }

  private static func write(_ outboxes: [SocketOutbox], on loop: any EventLoop) {
    loop.execute { for outbox in outboxes { outbox.write() } }
  }
}
