import Foundation
import Testing

@testable import RallyMap

struct CountryHitTestTests {
  private let world = WorldMap.shared

  /// Natural Earth's coast is coarser than these capitals' harbours and islands, or has no area for the country at all.
  private static let outside: [String: Double] = [:]

  @Test func `every capital lies in its country`() throws {
    var outside: [String] = []
    for city in try world.cities() where city.isCapital && city.country.label != nil {
      let country = try world.country(at: city.point)
      if country != city.country {
        outside.append("\(city.name) \(city.country.name) \(country?.name ?? "sea")")
      }
    }
    #expect(outside == [])
  }

  @Test func `cities lie where GeoNames says`() throws {
    var outside: [String: Int] = [:]
    var n = 0
    for city in try world.cities() where city.country.label != nil {
      let country = try world.country(at: city.point, within: 3_000)
      n += 1
      if country != city.country {
        outside["\(city.country.name) - \(country?.name ?? "sea")", default: 0] += 1
      }
    }
    print(n, outside.values.reduce(0, +), outside.sorted { $0.value > $1.value })
  }
}
