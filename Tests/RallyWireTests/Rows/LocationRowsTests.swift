import Foundation
import Testing

@testable import RallyWire

@Suite struct LocationRowsTests {
  @Test func `a row is written with PostgreSQL's names and nothing for what is not known`() throws {
    let place = try #require(Coordinate(latitude: 38.7223, longitude: -9.1393))
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let time = try #require(WireTime("2026-08-01T12:15:00Z"))
    let record = LocationRecord(
      userID: id, coordinate: place, accuracyMetres: 1000, speed: nil, course: nil, battery: nil,
      recordedAt: time, source: "approximate", precision: .approximate1km, version: 3)
    let text = try WireJSON.text(record)
    #expect(
      text == #"{"accuracy_m":1000,"latitude":38.7223,"longitude":-9.1393,"#
        + #""precision":"approximate_1km","recorded_at":"2026-08-01T12:15:00.000000+00:00","#
        + #""source":"approximate","user_id":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f","version":3}"#)
    #expect(try WireJSON.decode(LocationRecord.self, from: Data(text.utf8)) == record)
  }

  @Test func `nulls and a missing precision are read`() throws {
    let text =
      #"{"latitude":1,"longitude":2,"speed":null,"recorded_at":"2026-08-01T12:15:00Z","#
      + #""source":"manual"}"#
    let report = try WireJSON.decode(LocationReport.self, from: Data(text.utf8))
    #expect(report.coordinate == Coordinate(latitude: 1, longitude: 2))
    #expect(report.precision == nil)
    #expect(report.speed == nil)
  }

  @Test func `the default's row of sharing has no person`() throws {
    let record = LocationSharingRecord(
      userID: nil, username: nil, displayName: nil, mode: .off, until: nil, isDefault: true,
      location: nil)
    let text = try WireJSON.text(record)
    #expect(text == #"{"is_default":true,"mode":"off"}"#)
    #expect(try WireJSON.decode(LocationSharingRecord.self, from: Data(text.utf8)) == record)
  }

  @Test func `modes are ordered by how much they tell`() {
    #expect(SharingMode.allCases == SharingMode.allCases.sorted())
    #expect(SharingMode.off < .approximate10km)
    #expect(SharingMode.approximate1km < .precise)
  }

  @Test(arguments: [
    ("2026-08-01T12:14:59.999999Z", "2026-08-01T12:00:00Z"),
    ("2026-08-01T12:15:00Z", "2026-08-01T12:15:00Z"),
    ("1969-12-31T23:59:59Z", "1969-12-31T23:45:00Z"),
  ])
  func `a quarter of an hour starts at or before its moments`(_ time: String, _ start: String) {
    #expect(WireTime(time)?.quarterHour == WireTime(start))
  }
}
