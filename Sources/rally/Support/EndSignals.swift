import Dispatch
import Foundation

/// Calls a function on signals that ask the process to terminate.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  init(
    on signals: [Int32] = [SIGTERM, SIGINT, SIGHUP], _ handler: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue(label: "rally.signals")
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handler)
      source.resume()
      return source
    }
  }

  func cancel() { for source in sources { source.cancel() } }
}
