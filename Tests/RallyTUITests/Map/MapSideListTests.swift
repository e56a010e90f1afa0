import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct MapSideListTests {
  @Test(arguments: [40, 41])
  func `places stand below each other, however long ago somebody was there`(
    _ width: Int
  ) async throws {
    let ages = [4, 45, 26 * 60, 3 * 3600]
    let positions = try ages.enumerated().map { number, seconds in
      let record = Samples.location(
        of: number, recordedAt: Samples.time.advanced(by: .seconds(-seconds)))
      return try #require(FriendPosition(record, of: Samples.friend(number)))
    }
    let screen = TestScreen(
      size: Size(width: width, height: 12), table: .rally,
      root: MapSideList(positions: positions, width: width, now: Samples.time))
    await screen.waitUntilIdle()

    let columns = screen.picture.filter { $0.contains("●") || $0.contains("○") }.compactMap {
      line in
      line.firstRange(of: "Lisbon").map { line[..<$0.lowerBound].cellWidth }
    }
    #expect(columns.count == 4)
    #expect(Set(columns).count == 1, "\(screen.text)")
  }

  @Test func `a place has the room that the names leave`() async throws {
    let record = Samples.location(of: 1, recordedAt: Samples.time)
    let position = try #require(FriendPosition(record, of: Samples.friend(1)))
    let screen = TestScreen(
      size: Size(width: 31, height: 12), table: .rally,
      root: MapSideList(positions: [position], width: 31, now: Samples.time))
    await screen.waitUntilIdle()
    let row = try #require(screen.picture.first { $0.contains("Lisbon") })
    #expect(row.contains("\(position.profile.username)  Lisbon"), "\(row)")
  }

  @Test func `what a device says is one line where there is room, else one for each`() {
    #expect(PositionFacts.lines(["still", "battery 9%"]) == ["still · battery 9%"])
    let facts = ["walking 5 km/h N", "battery 83%"]
    #expect(PositionFacts.lines(facts) == facts)
  }
}
