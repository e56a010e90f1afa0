import Foundation
import Testing

@testable import RallyWire

/// Local times by the system's time zone database.
struct LocalTimeZoneTests {
  private func zone(_ name: String) throws -> LocalTimeZone {
    try #require(LocalTimeZone(identifier: name))
  }

  private func time(_ text: String) throws -> WireTime { try #require(WireTime(text)) }

  /// The last second before a change of the clocks, and the hours ahead of UTC then and after it.
  @Test(arguments: [
    ("Europe/Madrid", "2026-03-29T00:59:59Z", 1, 2),
    ("Europe/Madrid", "2026-10-25T00:59:59Z", 2, 1),
    ("Europe/Madrid", "2080-03-31T00:59:59Z", 1, 2),
    ("Europe/Madrid", "2080-10-27T00:59:59Z", 2, 1),
    ("America/New_York", "2026-03-08T06:59:59Z", -5, -4),
    ("America/New_York", "2026-11-01T05:59:59Z", -4, -5),
    ("America/New_York", "2080-03-10T06:59:59Z", -5, -4),
    ("Australia/Lord_Howe", "2026-04-04T14:59:59Z", 11, 10.5),
    ("Australia/Lord_Howe", "2026-10-03T15:29:59Z", 10.5, 11),
    ("Australia/Lord_Howe", "2080-10-05T15:29:59Z", 10.5, 11),
    ("Africa/Casablanca", "2026-02-15T01:59:59Z", 1, 0),
    ("Africa/Casablanca", "2026-03-22T01:59:59Z", 0, 1),
    // Winter is the exception there, as the law has it.
    ("Europe/Dublin", "2080-03-31T00:59:59Z", 0, 1),
  ])
  func `clocks are changed to the second, within the list and by the rule after it`(
    name: String, last: String, before: Double, after: Double
  ) throws {
    let (zone, last) = (try zone(name), try time(last))
    let first = last.advanced(by: .seconds(1))
    #expect(Double(zone.secondsFromUTC(at: last)) == before * 3600)
    #expect(Double(zone.secondsFromUTC(at: first)) == after * 3600)
    #expect(zone.nextTransition(after: last) == first)
    #expect(zone.nextTransition(after: last.advanced(by: .seconds(-86_400))) == first)
    #expect(try #require(zone.nextTransition(after: first)) > first)
  }

  @Test(arguments: [("Asia/Kathmandu", 5.75), ("UTC", 0), ("GMT", 0), ("Etc/GMT+12", -12)])
  func `where the clocks stay, nothing is changed`(name: String, hours: Double) throws {
    let zone = try zone(name)
    for year in ["2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z", "2080-07-01T00:00:00Z"] {
      #expect(Double(zone.secondsFromUTC(at: try time(year))) == hours * 3600)
      #expect(zone.nextTransition(after: try time(year)) == nil)
    }
  }

  @Test func `every zone agrees with the library's at any time`() {
    var random = SeededGenerator(seed: 26)
    var others: [String] = []
    for name in TimeZone.knownTimeZoneIdentifiers {
      // The library has its own edition of the database, with other names.
      guard let theirs = TimeZone(identifier: name), let ours = LocalTimeZone(identifier: name)
      else { continue }
      for _ in 0..<50 {
        let seconds = Int64.random(in: 0..<4_100_000_000, using: &random)
        let date = Date(timeIntervalSince1970: Double(seconds))
        let time = WireTime(microseconds: seconds * 1_000_000 + 999_999)
        if theirs.secondsFromGMT(for: date) != ours.secondsFromUTC(at: time) {
          others.append("\(name) \(time)")
        }
      }
    }
    // A country that has changed its law since the library's edition is no fault.
    #expect(Set(others.map { $0.split(separator: " ")[0] }).count <= 5, "\(others.prefix(20))")
    #expect(TimeZone.knownTimeZoneIdentifiers.count { LocalTimeZone(identifier: $0) != nil } > 300)
  }

  @Test func `the zone of the process is the one that libc has`() {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<100 {
      let seconds = Int64.random(in: 0..<2_100_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(
        LocalTimeZone.current.secondsFromUTC(at: WireTime(date))
          == TimeZone.current.secondsFromGMT(for: date))
    }
    #expect(LocalTimeZone(identifier: LocalTimeZone.current.identifier) != nil)
  }

  @Test(arguments: [
    "", "Mars/Olympus", "europe/madrid", "Europe", "Europe/", "/Europe/Madrid", "Europe//Madrid",
    "../../../etc/passwd", "Europe/../UTC", "zone.tab", "tzdata.zi", "right/Europe/Madrid",
    "Europe/Madrid\0", "Europe/Madríd",
  ])
  func `what is no name of the database is no zone`(name: String) {
    #expect(LocalTimeZone(identifier: name) == nil)
  }

  @Test func `without a database only UTC and GMT are known`() {
    let folder = TimeZoneFolder("/nonexistent")
    #expect(folder.table("UTC")?.offset(at: 0) == 0)
    #expect(folder.table("GMT")?.offset(at: 0) == 0)
    #expect(folder.table("Europe/Madrid") == nil)
  }
}

/// The files of the time zone database (TZif), which may be damaged.
struct TimeZoneTableTests {
  private func file(_ name: String) throws -> [UInt8] {
    [UInt8](try #require(FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)")))
  }

  @Test func `a file that ends early is no zone, and no damaged byte ends the program`() throws {
    let bytes = try file("Australia/Lord_Howe")
    #expect(TimeZoneTable(tzif: bytes) != nil)
    for count in 0..<bytes.count - 60 {
      #expect(TimeZoneTable(tzif: Array(bytes.prefix(count))) == nil)
    }
    var random = SeededGenerator(seed: 28)
    for _ in 0..<3000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = .random(
          in: .min ... .max, using: &random)
      }
      guard let table = TimeZoneTable(tzif: damaged) else { continue }
      for time in [Int64.min / 4, -1, 0, 2_000_000_000, 5_000_000_000] {
        _ = table.offset(at: time)
        _ = table.nextTransition(after: time)
      }
    }
  }

  @Test func `the first edition of the format is read, with its 32 bits and without a rule`() throws
  {
    var bytes = try file("Europe/Madrid")
    // What follows the first block is not looked at any more.
    bytes[4] = 0
    let table = try #require(TimeZoneTable(tzif: bytes))
    #expect(table.offset(at: 1_783_000_000) == 7200)
    #expect(table.nextTransition(after: 4_000_000_000) == nil)
  }

  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2080-07-01T12:00:00Z", 2),
    ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2080-07-01T12:00:00Z", -2),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2080-03-29T00:00:01Z", 3),
    ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2080-01-01T00:00:00Z", 13),
    ("AAA+1:30BBB,J60,J300", "2080-03-01T03:29:59Z", -1.5),
    ("AAA+1:30BBB,J60,J300", "2080-03-01T03:30:00Z", -0.5),
    ("AAA0BBB,59/0,300/0", "2080-02-29T00:00:00Z", 1),
  ])
  func `rules are those of POSIX`(rule: String, time: String, hours: Double) throws {
    let rule = try #require(TimeZoneRule(rule))
    let time = try #require(WireTime(time))
    #expect(Double(rule.offset(at: time.microseconds / 1_000_000)) == hours * 3600)
  }

  @Test(arguments: [
    "", "X", "CET", "CET-", "CET-1CEST", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0",
    "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-99", "<CET-1", "CET-1CEST,J0,J1", "CET-1CEST,M3.6.0,M1.1.0",
  ])
  func `anything else is no rule`(text: String) {
    #expect(TimeZoneRule(text) == nil)
  }
}
