import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct FriendPositionTests {
  private func position(_ precision: SharingMode, ago seconds: Int) throws -> FriendPosition {
    let time = Samples.time.advanced(by: .seconds(-seconds))
    return try #require(
      FriendPosition(
        Samples.location(of: 2, precision: precision, recordedAt: time),
        of: Samples.friend(2)))
  }

  @Test(arguments: [
    (-30, PositionAge.fresh), (599, .fresh), (600, .older), (21_599, .older), (21_600, .old),
  ])
  func `its mark tells ten minutes and six hours apart`(seconds: Int, age: PositionAge) throws {
    #expect(try position(.precise, ago: seconds).age(at: Samples.time) == age)
  }

  @Test func `a precise position stays for a day, a coarse one for a week`() throws {
    let day = 24 * 3600
    #expect(try position(.precise, ago: day - 1).isShown(at: Samples.time))
    #expect(try !position(.precise, ago: day).isShown(at: Samples.time))
    #expect(try position(.approximate1km, ago: 7 * day - 1).isShown(at: Samples.time))
    #expect(try !position(.approximate10km, ago: 7 * day).isShown(at: Samples.time))
  }

  @Test func `it says when its mark changes next`() throws {
    let now = Samples.time
    #expect(
      try position(.precise, ago: 60).nextChange(after: now)
        == now.advanced(by: .seconds(540)))
    #expect(
      try position(.precise, ago: 3600).nextChange(after: now)
        == now.advanced(by: .seconds(5 * 3600)))
    #expect(
      try position(.precise, ago: 20 * 3600).nextChange(after: now)
        == now.advanced(by: .seconds(4 * 3600)))
    #expect(try position(.precise, ago: 30 * 3600).nextChange(after: now) == nil)
  }

  @Test func `who moves has a course and a speed`() throws {
    func isMoving(_ speed: Double?, _ course: Double?) -> Bool? {
      FriendPosition(
        Samples.location(of: 2, speed: speed, course: course), of: Samples.friend(2))?.isMoving
    }
    #expect(isMoving(1.4, 90) == true)
    #expect(isMoving(0.1, 90) == false)
    #expect(isMoving(1.4, nil) == false)
  }

  @Test func `a row whose numbers name no place is no position`() {
    var row = Samples.location(of: 2)
    row.latitude = 91
    #expect(FriendPosition(row, of: Samples.friend(2)) == nil)
  }
}
