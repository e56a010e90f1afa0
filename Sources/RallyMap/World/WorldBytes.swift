import CWorldMap

/// The bytes of the packed world: those compiled into the program, or a copy modified by a test.
///
/// `@unchecked Sendable`: the memory is not written after `init` and outlives this object (the
/// compiled-in bytes are static, a copy is freed in `deinit`).
final class WorldBytes: @unchecked Sendable {
  private let buffer: UnsafeRawBufferPointer
  private let isCopy: Bool

  /// Uses the compiled-in bytes, which are memory-mapped from the executable and paged in on use.
  init() {
    buffer = UnsafeRawBufferPointer(
      start: rally_world_map_bytes(), count: rally_world_map_size())
    isCopy = false
  }

  init(copying bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    buffer = UnsafeRawBufferPointer(copy)
    isCopy = true
  }

  deinit {
    if isCopy { buffer.deallocate() }
  }

  var count: Int { buffer.count }

  /// Calls `body` with the bytes; the pointer is valid only during the call.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(buffer)
  }
}
