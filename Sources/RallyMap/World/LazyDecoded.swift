import Synchronization

/// A lazily decoded part of the blob. Thread-safe; decoded once, and a failure is cached too.
final class LazyDecoded<Value: Sendable>: Sendable {
  private let state = Mutex<Result<Value, WorldMapError>?>(nil)

  func value(
    _ decode: () throws(WorldMapError) -> Value
  ) throws(WorldMapError) -> Value {
    let result = state.withLock { state in
      if let state { return state }
      let fresh = Result(catching: decode)
      state = fresh
      return fresh
    }
    return try result.get()
  }
}
