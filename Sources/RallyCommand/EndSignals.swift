import Dispatch
import Glibc

/// Calls a function on signals that ask the process to terminate.
///
/// Dispatch takes a signal over on a thread of its own. Until then the signal's default ends the
/// process: ignored, it would be lost.
package final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  /// Returns once the signals call the function.
  package init(
    on signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], _ handler: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue(label: "rally.signals")
    let registrations = DispatchGroup()
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handler)
      registrations.enter()
      source.setRegistrationHandler { registrations.leave() }
      source.resume()
      return source
    }
    registrations.wait()
  }

  package func cancel() { for source in sources { source.cancel() } }
}
