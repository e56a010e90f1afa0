import NIOCore

// For queues of sockets: of many sockets few have anything in them.
extension CircularBuffer {
  /// Elements for which an empty queue keeps room.
  private static var keptCapacity: Int { 16 }

  /// A queue without room for more than one element.
  static var small: Self { Self(initialCapacity: 1) }

  /// Removes the first element; an empty queue keeps no room for the largest burst that it had.
  mutating func takeFirst() -> Element? {
    if let element = popFirst() { return element }
    if capacity > Self.keptCapacity { self = .small }
    return nil
  }
}
