import Dispatch
import Foundation

/// SIGTERM, SIGINT and SIGHUP as a call instead of an end.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  init(_ handler: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "rally.signals")
    sources = [SIGTERM, SIGINT, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handler)
      source.resume()
      return source
    }
  }

  func cancel() { for source in sources { source.cancel() } }
}
