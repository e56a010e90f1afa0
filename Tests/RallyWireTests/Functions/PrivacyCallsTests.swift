import Foundation
import RallyWire
import Testing

@Suite struct PrivacyCallsTests {
  @Test func `the calls carry the contract's arguments`() throws {
    #expect(
      try WireJSON.text(SetPrivacyRules(rules: PrivacyRules()))
        == #"{"p_rules":{"hours":[],"time_zone":"UTC","zones":[]}}"#)
    #expect(try WireJSON.text(SetPrivacyRules(rules: nil)) == "{}")
    #expect(SetPrivacyRules.parameters.allSatisfy { $0.hasPrefix("p_") })
    #expect(try WireJSON.text(FetchPrivacyRules()) == "{}")
    let id = UUID()
    #expect(
      try WireJSON.text(FunctionCall(WithdrawLocation(), clientID: id))
        == #"{"p_client_id":"\#(id.wireText)"}"#)
    let none = try WireJSON.decode(AccountPrivacyRules.self, from: Data(#"{"rules":null}"#.utf8))
    #expect(none.rules == nil)
  }

  @Test func `a coarse report tells its cell and the quarter of an hour alone`() throws {
    let place = try #require(Coordinate(latitude: 38.7223, longitude: -9.1393))
    let cell = GridCell(containing: place, level: .tenKilometres)
    let time = WireTime(microseconds: 1_793_000_123_456_789)
    let report = LocationReport(in: cell, at: time)
    #expect(report.coordinate == cell.center)
    #expect(report.precision == .approximate10km)
    #expect(report.recordedAt == time.quarterHour)
    #expect(report.source == "approximate")
    #expect(report.speed == nil && report.course == nil && report.battery == nil)
  }
}
