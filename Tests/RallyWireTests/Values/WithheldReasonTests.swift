import Foundation
import Testing

@testable import RallyWire

@Suite struct WithheldReasonTests {
  private static let day = Duration.seconds(24 * 3600)

  @Test func `a precise position is stale after a day, a coarse one after a week`() {
    #expect(WithheldReason(age: Self.day - .seconds(1), precision: .precise) == nil)
    #expect(WithheldReason(age: Self.day, precision: .precise) == .stale)
    for mode in [SharingMode.approximate1km, .approximate10km] {
      #expect(WithheldReason(age: Self.day * 7 - .seconds(1), precision: mode) == nil)
      #expect(WithheldReason(age: Self.day * 7, precision: mode) == .stale)
    }
    #expect(WithheldReason(age: .zero - Self.day, precision: .precise) == nil)
  }

  private func row(_ text: String) throws -> LocationSharingRecord {
    try WireJSON.decode(LocationSharingRecord.self, from: Data(text.utf8))
  }

  @Test func `the reason travels in a column of its own`() throws {
    for reason in WithheldReason.allCases {
      let text = #"{"is_default":false,"mode":"off","withheld":"\#(reason.rawValue)"}"#
      let row = try row(text)
      #expect(row.seen == .failure(reason))
      #expect(try WireJSON.text(row) == text)
    }
  }

  @Test func `an older server's row, and a newer server's reason, are explained by the mode`()
    throws
  {
    for withheld in ["", #","withheld":null"#, #","withheld":"eclipse""#] {
      #expect(
        try row(#"{"is_default":true,"mode":"off"\#(withheld)}"#).seen == .failure(.off))
      #expect(
        try row(#"{"is_default":true,"mode":"precise"\#(withheld)}"#).seen
          == .failure(.noReport))
    }
  }
}
