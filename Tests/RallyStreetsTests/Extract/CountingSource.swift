import Synchronization

@testable import RallyStreets

/// A file that counts what is read, and can fail or change in between.
final class CountingSource: ByteRangeSource {
  struct Cut: Error, Hashable {}

  private struct State {
    var content: [UInt8]
    var version: String?
    var fetched = 0
    var requests = 0
    /// Fails from this many requests on.
    var limit = Int.max
  }

  let place: String
  private let state: Mutex<State>

  init(_ content: [UInt8], place: String = "memory", version: String? = "1") {
    self.place = place
    state = Mutex(State(content: content, version: version))
  }

  var fetched: Int { state.withLock { $0.fetched } }
  var requests: Int { state.withLock { $0.requests } }

  /// Counts anew, and fails after this many requests.
  func restart(failingAfter limit: Int = .max) {
    state.withLock { ($0.fetched, $0.requests, $0.limit) = (0, 0, limit) }
  }

  func change(_ content: [UInt8], version: String?) {
    state.withLock { ($0.content, $0.version) = (content, version) }
  }

  func version() async throws -> String? { state.withLock { $0.version } }

  func length() async throws -> UInt64 { state.withLock { UInt64($0.content.count) } }

  func bytes(_ range: Range<UInt64>) async throws -> [UInt8] {
    try state.withLock { state in
      guard state.requests < state.limit else { throw Cut() }
      state.requests += 1
      state.fetched += range.count
      return Array(state.content[Int(range.lowerBound)..<Int(range.upperBound)])
    }
  }
}
