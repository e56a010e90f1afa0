import Dispatch

/// Whether this runs on the main queue, where the main actor runs.
///
/// Not a question about threads: once a program has parked its first thread, the main queue is
/// served by others.
func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: MainQueueMark.key) != nil }

private enum MainQueueMark {
  static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
}
