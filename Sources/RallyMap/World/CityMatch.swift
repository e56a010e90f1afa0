/// Where in a city's name a searched text stands, the best first.
enum CityMatch: Hashable, Sendable {
  case beginning
  case word
  case elsewhere
}

extension WorldCities {
  /// Compares bytes of the blob without making a text. `wanted` is folded, and not empty.
  func match(_ record: CityRecord, _ wanted: ContiguousArray<UInt8>) -> CityMatch? {
    let range = record.searchedRange
    guard range.count >= wanted.count else { return nil }
    return container.bytes.withBytes { bytes in
      var found: CityMatch?
      for start in range.lowerBound...range.upperBound - wanted.count {
        guard Self.matches(bytes, at: start, wanted) else { continue }
        if start == range.lowerBound { return .beginning }
        if bytes[start - 1] == UInt8(ascii: " ") { return .word }
        found = .elsewhere
      }
      return found
    }
  }

  private static func matches(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ wanted: ContiguousArray<UInt8>
  ) -> Bool {
    for (offset, byte) in wanted.enumerated() where lowered(bytes[start + offset]) != byte {
      return false
    }
    return true
  }

  /// A-Z in lower case: names that are plain are not kept a second time.
  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
