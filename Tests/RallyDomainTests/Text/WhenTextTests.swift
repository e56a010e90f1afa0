import Foundation
import RallyWire
import Testing

@testable import RallyDomain

struct WhenTextTests {
  private static func time(_ text: String) throws -> WireTime { try #require(WireTime(text)) }

  /// A reader at half past one in the afternoon, local time, of 21 November 2026 in Lisbon (UTC).
  private func lisbon() throws -> WhenText {
    WhenText(
      timeZone: try #require(LocalTimeZone(identifier: "Europe/Lisbon")),
      now: try Self.time("2026-11-21T13:30:15Z"))
  }

  private func berlin(at now: String) throws -> WhenText {
    WhenText(
      timeZone: try #require(LocalTimeZone(identifier: "Europe/Berlin")), now: try Self.time(now))
  }

  @Test(arguments: [
    ("now", "2026-11-21T13:30:15Z"), ("NOW ", "2026-11-21T13:30:15Z"),
    ("midnight", "2026-11-22T00:00:00Z"),
    ("19:40", "2026-11-21T19:40:00Z"), ("9:00", "2026-11-22T09:00:00Z"),
    ("today 9:00", "2026-11-21T09:00:00Z"), ("tomorrow 9:00", "2026-11-22T09:00:00Z"),
    ("Tomorrow  09:00", "2026-11-22T09:00:00Z"),
    ("2026-12-01 18:30", "2026-12-01T18:30:00Z"), ("2026-12-01T18:30", "2026-12-01T18:30:00Z"),
    ("in 2h", "2026-11-21T15:30:15Z"), ("in 90 minutes", "2026-11-21T15:00:15Z"),
    ("+90m", "2026-11-21T15:00:15Z"), ("+1h30m", "2026-11-21T15:00:15Z"),
    ("in 1d 6h", "2026-11-22T19:30:15Z"), ("in 3 days", "2026-11-24T13:30:15Z"),
    ("in 1 week", "2026-11-28T13:30:15Z"),
  ])
  func `times are read as people type them`(_ text: String, _ expected: String) throws {
    #expect(try lisbon().parse(text, field: .starts) == Self.time(expected))
  }

  @Test(arguments: [
    ("2026-11-21T19:40:00Z", "19:40"), ("2026-11-22T09:00:00Z", "tomorrow 09:00"),
    ("2026-11-22T00:00:00Z", "midnight"),
    ("2026-11-23T00:00:00Z", "2026-11-23 00:00"), ("2026-11-20T23:59:00Z", "2026-11-20 23:59"),
  ])
  func `times are said as short as they are clear, and read again`(
    _ time: String, _ words: String
  ) throws {
    let (time, when) = (try Self.time(time), try lisbon())
    #expect(when.words(of: time) == words)
    #expect(try when.parse(words, field: .starts) == time)
  }

  @Test func `an empty text is no time`() throws {
    #expect(try lisbon().parse("  ", field: .ends) == nil)
  }

  @Test(arguments: [
    "soon", "25:00", "9", "9:0", "12:60", "2026-02-30 12:00", "2026-12-01 9", "in", "in h", "+",
    "in 5 parsecs", "+99999999h", "yesterday 9:00", "1 2 3:00", "-5m", "١٢:٠٠",
  ])
  func `what is none is refused with an example`(_ text: String) throws {
    let when = try lisbon()
    let problem = #expect(throws: FieldProblem.self) { try when.parse(text, field: .ends) }
    #expect(problem?.field == .ends)
  }

  @Test func `a day without a time of day asks for one`() throws {
    let when = try lisbon()
    let problem = #expect(throws: FieldProblem.self) {
      try when.parse("tomorrow", field: .starts)
    }
    #expect(problem?.advice == "Add a time of day: tomorrow 18:30.")
  }

  @Test func `an end is counted from the start`() throws {
    let when = try lisbon()
    let start = try Self.time("2026-11-23T22:00:00Z")
    #expect(
      try when.parse("+90m", field: .ends, after: start) == Self.time("2026-11-23T23:30:00Z"))
    #expect(
      try when.parse("19:40", field: .ends, after: start) == Self.time("2026-11-24T19:40:00Z"))
    // In two hours is in two hours, whenever it starts.
    #expect(
      try when.parse("in 2h", field: .ends, after: start) == Self.time("2026-11-21T15:30:15Z"))
  }

  @Test func `the zone is the reader's`() throws {
    let when = try berlin(at: "2026-11-21T23:30:00Z")
    // It is 0:30 of the 22nd there.
    #expect(try when.parse("today 9:00", field: .starts) == Self.time("2026-11-22T08:00:00Z"))
    #expect(try when.parse("tomorrow 9:00", field: .starts) == Self.time("2026-11-23T08:00:00Z"))
    #expect(try when.text(of: Self.time("2026-12-01T17:30:00Z")) == "2026-12-01 18:30")
    let newYork = WhenText(
      timeZone: try #require(LocalTimeZone(identifier: "America/New_York")), now: when.now)
    #expect(
      try newYork.parse("2026-07-01 18:30", field: .starts) == Self.time("2026-07-01T22:30:00Z"))
  }

  @Test func `a time that the clocks skip is refused`() throws {
    // Berlin goes from 2:00 to 3:00 on 29 March 2026.
    let when = try berlin(at: "2026-03-28T12:00:00Z")
    let problem = #expect(throws: FieldProblem.self) {
      try when.parse("2026-03-29 02:30", field: .starts)
    }
    #expect(problem?.advice == "The clocks skip 2:30 on that day. Type another time.")
    #expect(
      try when.parse("2026-03-29 01:59", field: .starts) == Self.time("2026-03-29T00:59:00Z"))
    #expect(
      try when.parse("2026-03-29 03:00", field: .starts) == Self.time("2026-03-29T01:00:00Z"))
  }

  /// Berlin skips 2:00 to 3:00 on 28 March 2027, Cairo 0:00 to 1:00 on 30 April 2027, as the time zone
  /// database has it.
  @Test(arguments: [
    ("Europe/Berlin", "2027-03-28T10:00:00Z", "2:30", "2027-03-29T00:30:00Z"),
    ("Europe/Berlin", "2027-03-28T10:00:00Z", "sunday 2:30", "2027-04-04T00:30:00Z"),
    ("Europe/Berlin", "2027-03-28T00:30:00Z", "2:30", "2027-03-29T00:30:00Z"),
    ("Europe/Berlin", "2027-03-27T12:00:00Z", "2:30", "2027-03-29T00:30:00Z"),
    ("Europe/Berlin", "2027-03-27T12:00:00Z", "20:15", "2027-03-27T19:15:00Z"),
    ("Africa/Cairo", "2027-04-30T09:00:00Z", "midnight", "2027-04-30T21:00:00Z"),
    ("Africa/Cairo", "2027-04-30T09:00:00Z", "0:15", "2027-04-30T21:15:00Z"),
    // The day that ends then has no midnight, but an end.
    ("Africa/Cairo", "2027-04-29T18:00:00Z", "midnight", "2027-04-29T22:00:00Z"),
  ])
  func `the next time of day is the next that the clocks show`(
    zone: String, now: String, text: String, expected: String
  ) throws {
    let when = WhenText(
      timeZone: try #require(LocalTimeZone(identifier: zone)), now: try Self.time(now))
    #expect(try when.parse(text, field: .starts) == Self.time(expected))
  }

  /// Havana goes back from 1:00 to 0:00 on 1 November 2026.
  @Test(arguments: [
    ("0:15", "2026-11-01T05:15:00Z"), ("sunday 0:15", "2026-11-01T05:15:00Z"),
    ("today 0:15", "2026-11-01T05:15:00Z"), ("midnight", "2026-11-02T05:00:00Z"),
  ])
  func `a time that comes once more today is the next one`(text: String, expected: String) throws {
    let when = WhenText(
      timeZone: try #require(LocalTimeZone(identifier: "America/Havana")),
      now: try Self.time("2026-11-01T04:30:00Z"))
    #expect(try when.parse(text, field: .starts) == Self.time(expected))
  }

  @Test func `of a time that comes twice the first is meant`() throws {
    // Berlin goes back from 3:00 to 2:00 on 25 October 2026.
    let when = try berlin(at: "2026-10-24T12:00:00Z")
    #expect(
      try when.parse("2026-10-25 02:30", field: .starts) == Self.time("2026-10-25T00:30:00Z"))
    #expect(
      try when.parse("2026-10-25 03:00", field: .starts) == Self.time("2026-10-25T02:00:00Z"))
    // A span is a span, whatever the clocks do.
    #expect(
      try when.parse("in 24h", field: .starts) == Self.time("2026-10-25T12:00:00Z"))
  }

  @Test(arguments: ["2026-12-01 18:30", "2026-03-29 03:00", "2027-01-01 00:00"])
  func `what is written is read as the same`(_ text: String) throws {
    let when = try berlin(at: "2026-01-01T00:00:00Z")
    let time = try #require(try when.parse(text, field: .starts))
    #expect(when.text(of: time) == text)
  }
}
