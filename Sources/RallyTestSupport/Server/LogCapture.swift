import Logging
import Synchronization

/// Keeps every line that is logged, down to the finest level.
package final class LogCapture: Sendable {
  private struct Handler: LogHandler {
    let capture: LogCapture
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      capture.add("\(event.message) \(metadata) \(event.metadata ?? [:])")
    }
  }

  private let lines = Mutex<[String]>([])

  package init() {}

  package var logger: Logger { Logger(label: "rally.test") { _ in Handler(capture: self) } }

  package var text: String { lines.withLock { $0.joined(separator: "\n") } }

  private func add(_ line: String) { lines.withLock { $0.append(line) } }
}
