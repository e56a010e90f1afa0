import Foundation

/// A seeded random number generator: SplitMix64 (Steele, Lea, Flood 2014).
///
/// `RALLY_TEST_SEED` shifts all seeds, so that `make check-deep` tests other cases in each round.
public struct SeededGenerator: RandomNumberGenerator {
  /// Whether the default seeds are in use. With others, tests cannot expect particular cases to
  /// occur.
  public static var isUsual: Bool { shift == 0 }

  private static let shift =
    ProcessInfo.processInfo.environment["RALLY_TEST_SEED"].flatMap(UInt64.init) ?? 0

  private var state: UInt64

  public init(seed: UInt64) { state = seed &+ SeededGenerator.shift &* 1_000_003 }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
