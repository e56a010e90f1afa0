import CWorldMap

/// The packed world's bytes: those compiled into the program, or a copy that a test has changed.
///
/// Sendable although it holds a pointer: nobody writes to the memory after `init`, and it lives at
/// least as long as this object (the program's own bytes for ever, a copy until `deinit`).
final class WorldBytes: @unchecked Sendable {
  private let buffer: UnsafeRawBufferPointer
  private let isCopy: Bool

  /// The bytes of the program's file: mapped, not private memory, and read only where they are
  /// used.
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

  /// Lends the bytes for the time of the call; they must not be kept.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(buffer)
  }
}
