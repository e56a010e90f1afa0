import Dispatch

/// Work on the main actor at a later time, once, unless it is cancelled.
///
/// A dispatch timer, for the reason that `Pause` gives; it fires between two events of the main
/// queue, without a task.
@MainActor final class MainTimer {
  private var item: DispatchWorkItem?

  /// Replaces what was to come.
  func schedule(after delay: Duration, _ work: @escaping @MainActor @Sendable () -> Void) {
    cancel()
    let item = DispatchWorkItem { MainActor.assumeIsolated(work) }
    self.item = item
    DispatchQueue.main.asyncAfter(
      deadline: .now() + max(.zero, delay).timeInterval, execute: item)
  }

  func cancel() {
    item?.cancel()
    item = nil
  }
}
