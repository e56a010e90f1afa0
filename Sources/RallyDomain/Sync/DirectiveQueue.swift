import FoundationEssentials

/// Hands a coordinator's directives to the views that carry them out. Those sent before the first
/// reader came are kept for it. The streams end with the coordinator.
@MainActor
final class DirectiveQueue<Directive: Sendable> {
  private var readers: [UUID: AsyncStream<Directive>.Continuation] = [:]
  private var early: [Directive] = []

  deinit { for reader in readers.values { reader.finish() } }

  func directives() -> AsyncStream<Directive> {
    let (stream, continuation) = AsyncStream.makeStream(of: Directive.self)
    let id = UUID()
    readers[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.readers[id] = nil }
    }
    for directive in early { continuation.yield(directive) }
    early = []
    return stream
  }

  func send(_ directive: Directive) {
    if readers.isEmpty { early.append(directive) }
    for reader in readers.values { reader.yield(directive) }
  }
}
