import RallyMap
import Testing

struct WorldMapTests {
  @Test(arguments: DetailLevel.allCases)
  func `every level decodes and its chunks lie in their boxes`(_ detail: DetailLevel) throws {
    let level = try WorldMap.shared.level(detail)
    #expect(level.xs.count == level.ys.count)
    for chunk in level.chunks {
      #expect(chunk.points.count >= 2)
      #expect(chunk.points.upperBound <= level.xs.count)
      for index in chunk.points {
        #expect((chunk.minX...chunk.maxX).contains(level.xs[index]))
        #expect((chunk.minY...chunk.maxY).contains(level.ys[index]))
      }
    }
  }

  @Test func `the world has its countries and cities`() throws {
    let countries = try WorldMap.shared.countries()
    let cities = try WorldMap.shared.cities()
    #expect(countries.count >= 200)
    #expect(cities.count >= 7000)
    let first = cities[0]
    #expect(first.name == "Shanghai")
    #expect(first.country.isoCode == "CN")
    #expect(first.timeZone == "Asia/Shanghai")
    #expect(abs(first.point.latitude - 31.22) < 0.05)
  }
}
