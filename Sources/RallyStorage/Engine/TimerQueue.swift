import Dispatch

extension DispatchQueue {
  /// The queue of delayed work.
  ///
  /// A serial queue, and never a global one or `Task.sleep`, which uses it: on Linux the first work
  /// on a global queue starts dispatch's watch over its threads, which wakes every second for ever.
  package static let timers = DispatchQueue(label: "rally.server.timers")
}
