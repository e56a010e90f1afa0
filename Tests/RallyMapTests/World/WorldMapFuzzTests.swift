import CWorldMap
import Testing

@testable import RallyMap

struct WorldMapFuzzTests {
  private static let shipped = [UInt8](
    UnsafeBufferPointer(start: rally_world_map_bytes(), count: rally_world_map_size()))

  @Test func `the shipped bytes have the checksum that the generator wrote`() throws {
    #expect(Self.crc32(Self.shipped[8...]) == (try WorldMap.shared.opened()).checksum)
    #expect(Self.shipped.count < 1_050_000)
  }

  @Test func `the checksum is the one of the standard's test vector`() {
    #expect(Self.crc32(Array("123456789".utf8)[...]) == 0xCBF4_3926)
  }

  @Test func `bytes of another kind are refused by name`() throws {
    #expect(throws: WorldMapError.notAWorldMap) { try WorldMap(bytes: []).countries() }
    #expect(throws: WorldMapError.notAWorldMap) {
      try WorldMap(bytes: Array("RWX".utf8) + Self.shipped.dropFirst(3)).countries()
    }
    #expect(throws: WorldMapError.unknownVersion(9)) {
      try WorldMap(bytes: Array("RWM\u{9}".utf8) + Self.shipped.dropFirst(4)).level(.world)
    }
    #expect(throws: WorldMapError.missingSection(.cities)) {
      try WorldMap(bytes: Array("RWM\u{2}".utf8) + [0, 0, 0, 0, 0]).opened()
        .read(.cities) { _ throws(WorldMapError) in }
    }
  }

  @Test func `a failure is told again to who asks again`() throws {
    let world = WorldMap(bytes: Array(Self.shipped.prefix(1_000)))
    let first = #expect(throws: WorldMapError.self) { try world.level(.world) }
    let second = #expect(throws: WorldMapError.self) { try world.level(.world) }
    #expect(first == second)
  }

  @Test(arguments: WorldSection.allCases)
  func `no damage of a section does more than throw`(_ section: WorldSection) throws {
    let entry = try #require(Self.entry(of: section))
    var numbers = Lehmer(seed: Lehmer.movedSeed(UInt64(section.rawValue) + 77))
    // As much time for each section: 400 damages of a small one, some dozens of the largest. Two
    // thousand in all.
    for round in 0..<min(400, 10_000_000 / entry.range.count) {
      var bytes = Self.shipped
      for _ in 0..<1 + numbers.below(3) {
        // Damage near the beginning is found at once, and many reads of much are slow.
        let reach = round % 2 == 0 ? entry.range.count : min(entry.range.count, 2_000)
        let place = entry.range.lowerBound + numbers.below(reach)
        bytes[place] = numbers.below(4) == 0 ? 0xFF : UInt8(numbers.below(256))
      }
      if numbers.below(3) == 0 {
        Self.write(UInt32(numbers.below(entry.range.count)), at: entry.lengthAt, to: &bytes)
      }
      Self.read(section, of: WorldMap(bytes: bytes))
    }
    // The beginning holds the counts: every byte of it, with each of its bits turned.
    for place in entry.range.prefix(5) {
      for bit in 0..<8 {
        var bytes = Self.shipped
        bytes[place] ^= 1 << bit
        Self.read(section, of: WorldMap(bytes: bytes))
      }
    }
  }

  @Test func `a section that is longer than its values is refused`() throws {
    let entry = try #require(Self.entry(of: .countries))
    var bytes = Self.shipped
    Self.write(UInt32(entry.range.count + 1), at: entry.lengthAt, to: &bytes)
    #expect(throws: WorldMapError.impossibleValue(offset: entry.range.upperBound)) {
      try WorldMap(bytes: bytes).countries()
    }
  }

  @Test func `no damage of the frame does more than throw`() {
    var numbers = Lehmer(seed: Lehmer.movedSeed(99))
    let frame = 9 + 9 * Int(Self.shipped[8])
    for place in 0..<frame {
      var bytes = Self.shipped
      bytes[place] ^= UInt8(1 + numbers.below(255))
      for section in [WorldSection.level0, .countries, .rings, .cities] {
        Self.read(section, of: WorldMap(bytes: bytes))
      }
    }
    for length in [0, 1, 3, 7, 8, 9, 10, frame - 1, frame, frame + 1, Self.shipped.count - 1] {
      for section in WorldSection.allCases {
        Self.read(section, of: WorldMap(bytes: Array(Self.shipped.prefix(length))))
      }
    }
  }

  /// Reads and uses what a section holds; what a damaged world says does not matter, only that the
  /// program goes on.
  private static func read(_ section: WorldSection, of world: WorldMap) {
    let place = GeoPoint(latitude: 47, longitude: 8)
    switch section {
    case .level0, .level1, .level2, .level3:
      let detail = DetailLevel.allCases.first { $0.section == section }
      guard let detail, let level = try? world.level(detail) else { return }
      for chunk in level.chunks {
        precondition(chunk.points.upperBound <= level.xs.count && chunk.points.count >= 2)
      }
    case .countries:
      _ = try? world.countries()
    case .timeZones:
      _ = try? world.opened().read(.timeZones) { reader throws(WorldMapError) in
        try WorldCities.readTimeZones(&reader)
      }
    case .cities:
      guard let cities = try? world.cities() else { return }
      for index in stride(from: 0, to: cities.count, by: 997) { _ = cities[index] }
      _ = try? world.cities(matching: "ab", limit: 3)
      _ = try? world.nearestCity(to: place)
    case .states:
      // The undamaged cities, which are not decoded anew for each damage of their states.
      guard let cities = try? WorldMap.shared.cities(),
        let countries = try? WorldMap.shared.countries().count
      else { return }
      var records = cities.records
      let states = try? world.opened().read(.states) { reader throws(WorldMapError) in
        try WorldState.readAll(&reader, countries: countries, into: &records)
      }
      guard let states else { return }
      precondition(records.allSatisfy { $0.stateIndex ?? -1 < states.count })
    case .names:
      _ = try? world.cities(called: "Roma")
    case .rings:
      // The undamaged level, which is not decoded anew for each damage of its rings.
      guard let level = try? WorldMap.shared.level(.finest),
        let countries = try? WorldMap.shared.countries().count
      else { return }
      let rings = try? world.opened().read(.rings) { reader throws(WorldMapError) in
        try WorldRings(&reader, level: level, countries: countries)
      }
      guard let rings else { return }
      let test = CountryHitTest(level: level, rings: rings)
      _ = test.country(x: 34_000.5, y: 23_000.5)
      _ = test.nearestCountry(x: 34_000.5, y: 23_000.5, radius: 20)
    }
  }

  /// Where a section lies, and where in the table its length stands.
  private static func entry(of section: WorldSection) -> (range: Range<Int>, lengthAt: Int)? {
    for index in 0..<Int(shipped[8]) where shipped[9 + 9 * index] == section.rawValue {
      let place = 9 + 9 * index
      let numbers = [place + 1, place + 5].map { at in
        (0..<4).reduce(0) { $0 | Int(shipped[at + $1]) << (8 * $1) }
      }
      return (numbers[0]..<numbers[0] + numbers[1], place + 5)
    }
    return nil
  }

  private static func write(_ value: UInt32, at place: Int, to bytes: inout [UInt8]) {
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }

  private static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
