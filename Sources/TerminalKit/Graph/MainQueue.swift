import Dispatch

/// Whether the caller runs on the main queue, which executes the main actor.
///
/// Checks the queue, not the thread: after a program has parked its first thread, other threads
/// serve the main queue.
func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: MainQueueMark.key) != nil }

private enum MainQueueMark {
  static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
}
