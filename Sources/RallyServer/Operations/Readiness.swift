import Synchronization

/// Whether new requests are welcome: not any more once the server has been asked to end.
final class Readiness: Sendable {
  private let isEnding = Atomic(false)

  var isReady: Bool { !isEnding.load(ordering: .relaxed) }

  func end() { isEnding.store(true, ordering: .relaxed) }
}
