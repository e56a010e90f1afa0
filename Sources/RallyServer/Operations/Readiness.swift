import Synchronization

/// Whether new requests are accepted; false once shutdown has begun.
final class Readiness: Sendable {
  private let isEnding = Atomic(false)

  var isReady: Bool { !isEnding.load(ordering: .relaxed) }

  func end() { isEnding.store(true, ordering: .relaxed) }
}
