import Synchronization

/// A part of the blob that is decoded when it is first asked for, by one thread, and kept; a
/// failure is kept as well.
final class DecodedOnce<Value: Sendable>: Sendable {
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
