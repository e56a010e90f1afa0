import RallyText

/// Where a search text matches in a city's name, best match first.
enum CityMatch: Hashable, Sendable {
  case beginning
  case word
  case elsewhere
}

extension WorldCities {
  /// Searches the blob's bytes without allocating a string. `wanted` must be folded and not empty.
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

  /// Lowercases A–Z: plain ASCII names have no separate folded copy.
  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte.isASCIIUppercase ? byte | 0x20 : byte
  }
}
