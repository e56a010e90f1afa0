/// Tasks of one actor that wait for new input, with a deadline.
package final class ArrivalWaiters {
  private var waiters: [(id: Int, wake: () -> Void)] = []
  private var lastWaiter = 0

  package init() {}

  package func wakeAll() {
    let woken = waiters
    waiters = []
    for waiter in woken { waiter.wake() }
  }

  /// Waits for `wakeAll`, or until the deadline.
  package func next(
    before deadline: ContinuousClock.Instant, isolation: isolated any Actor = #isolation
  ) async {
    lastWaiter += 1
    let id = lastWaiter
    let timeout = Task { [weak self] in
      _ = isolation
      try await Task.sleep(until: deadline)
      self?.giveUp(id)
    }
    await withCheckedContinuation { continuation in
      waiters.append((id, { continuation.resume() }))
    }
    timeout.cancel()
  }

  private func giveUp(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).wake()
  }
}
