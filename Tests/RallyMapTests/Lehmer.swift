import Foundation
import RallyMap

/// Numbers that look random and are the same in every run.
struct Lehmer {
  private var state: UInt64

  /// A seed that `RALLY_TEST_SEED` moves, for fuzzers: other cases in each round.
  static func movedSeed(_ seed: UInt64) -> UInt64 {
    let round = ProcessInfo.processInfo.environment["RALLY_TEST_SEED"].flatMap(UInt64.init) ?? 0
    return seed &+ round &* 1_000_003
  }

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// 0..<1
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func point(latitudes: ClosedRange<Double> = -85...85) -> GeoPoint {
    GeoPoint(
      latitude: latitudes.lowerBound + unit() * (latitudes.upperBound - latitudes.lowerBound),
      longitude: unit() * 360 - 180)
  }
}
