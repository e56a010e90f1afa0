import Dispatch

/// Work on the main actor at a later time, once, unless it is cancelled.
///
/// A dispatch timer, for the reason that `Pause` gives; the work is a job of the main actor, so that what it
/// starts with `Task.immediate` runs at once.
@MainActor final class MainTimer {
  private var item: DispatchWorkItem?
  private var number = 0

  /// Replaces what was to come.
  func schedule(after delay: Duration, _ work: @escaping @MainActor @Sendable () -> Void) {
    cancel()
    let mine = number
    let item = DispatchWorkItem { [weak self] in
      Task { @MainActor in
        // It may be cancelled between the two.
        guard let self, self.number == mine else { return }
        work()
      }
    }
    self.item = item
    DispatchQueue.main.asyncAfter(
      deadline: .now() + max(.zero, delay).timeInterval, execute: item)
  }

  func cancel() {
    number += 1
    item?.cancel()
    item = nil
  }
}
