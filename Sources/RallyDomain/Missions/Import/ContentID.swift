import FoundationEssentials

/// Deterministic ids: equal content gets an equal id.
///
/// A version 8 UUID (RFC 9562) from the 128-bit FNV-1a hash of the bytes (RFC 9923). FNV-1a does
/// not resist deliberate collisions, and need not: an id is compared only with the same user's own
/// calls, and if two missions of a file collide, the server refuses one of them.
public struct ContentID: Sendable {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

  public init() {}

  public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      hash ^= UInt128(byte)
      hash &*= Self.prime
    }
  }

  public var uuid: UUID {
    var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (120 - 8 * UInt128($0))) }
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
