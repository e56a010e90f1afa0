import Dispatch
import RallyText

/// A one-shot, cancellable timer on the main actor.
///
/// Uses the main thread's own loop, or else a dispatch timer for the reason given at
/// `DispatchSleep`. The work runs as a main-actor job, so that `Task.immediate` inside of it starts
/// at once.
@MainActor package final class MainTimer {
  private var item: DispatchWorkItem?
  private var loopNumber: Int?
  private var number = 0

  package init() {}

  /// Schedules `work` and cancels what was scheduled before.
  package func schedule(after delay: Duration, _ work: @escaping @MainActor @Sendable () -> Void) {
    cancel()
    let mine = number
    let fire: @Sendable () -> Void = { [weak self] in
      Task { @MainActor in
        // It may have been cancelled since the timer fired.
        guard let self, self.number == mine else { return }
        work()
      }
    }
    if let loop = MainLoop.current {
      loopNumber = loop.schedule(after: delay, fire)
    } else {
      let item = DispatchWorkItem(block: fire)
      self.item = item
      DispatchQueue.main.asyncAfter(
        deadline: .now() + max(.zero, delay).inSeconds, execute: item)
    }
  }

  package func cancel() {
    number += 1
    item?.cancel()
    item = nil
    if let loopNumber { MainLoop.current?.cancel(loopNumber) }
    loopNumber = nil
  }
}
