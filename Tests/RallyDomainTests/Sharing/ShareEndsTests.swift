import Foundation
import RallyDomain
import RallyWire
import Testing

/// When a share ends, by a key and as it is typed.
@Suite struct ShareEndsTests {
  private func time(_ text: String) throws -> WireTime { try #require(WireTime(text)) }

  private func ends(_ now: String, in zone: String = "Europe/Lisbon") throws -> ShareEnds {
    ShareEnds(now: try time(now), timeZone: try #require(LocalTimeZone(identifier: zone)))
  }

  @Test func `the key steps to 30 minutes, 1 and 2 hours, tonight, no end, and begins again`()
    throws
  {
    let ends = try ends("2026-11-23T18:00:00Z")
    var end: WireTime?
    var steps: [String] = []
    for _ in 0..<6 {
      end = ends.later(than: end)
      steps.append(end.map { String($0.description.dropFirst(11).prefix(5)) } ?? "none")
    }
    #expect(steps == ["18:30", "19:00", "20:00", "00:00", "none", "18:30"])
  }

  @Test func `the other key steps back, and never from the shortest to no end`() throws {
    let ends = try ends("2026-11-23T18:00:00Z")
    #expect(ends.earlier(than: nil) == ends.tonight)
    #expect(ends.earlier(than: ends.tonight) == ends.steps[2])
    #expect(ends.earlier(than: ends.steps[1]) == ends.steps[0])
    #expect(ends.earlier(than: ends.steps[0]) == ends.steps[0])
  }

  @Test func `each step has its key at any minute of the day, also with minutes between two keys`()
    throws
  {
    let start = try ends("2026-11-23T00:00:00Z")
    for minute in 0..<(24 * 60) {
      let now = start.now.advanced(by: .seconds(60 * minute))
      let before = ShareEnds(now: now, timeZone: start.timeZone)
      let after = ShareEnds(now: now.advanced(by: .seconds(240)), timeZone: start.timeZone)
      #expect(after.earlier(than: before.tonight) == after.steps[2], "\(now)")
      #expect(after.later(than: before.steps[2]) == after.tonight, "\(now)")
    }
  }

  @Test func `the time between two keys does not repeat a step, a longer one does`() throws {
    let before = try ends("2026-11-23T18:00:00Z")
    let half = before.later(than: nil)
    let soon = try ends("2026-11-23T18:01:30Z")
    #expect(soon.later(than: half) == soon.steps[1])
    #expect(soon.earlier(than: before.steps[1]) == soon.steps[0])
    let late = try ends("2026-11-23T18:20:00Z")
    #expect(late.later(than: half) == late.steps[0])
  }

  /// Local noon, the evening, the last two hours of a day, and the first of the next one.
  @Test(arguments: [
    ("2026-11-23T12:00:00Z", "2026-11-24T00:00:00Z"),
    ("2026-11-23T21:49:00Z", "2026-11-24T00:00:00Z"),
    ("2026-11-23T21:50:00Z", "2026-11-24T04:00:00Z"),
    ("2026-11-24T00:30:00Z", "2026-11-24T04:00:00Z"),
    ("2026-11-24T01:49:00Z", "2026-11-24T04:00:00Z"),
    ("2026-11-24T01:50:00Z", "2026-11-25T00:00:00Z"),
    ("2026-11-24T05:00:00Z", "2026-11-25T00:00:00Z"),
  ])
  func `tonight is midnight, and 4:00 once midnight is near or past`(
    now: String, end: String
  ) throws {
    #expect(try ends(now).tonight == time(end))
  }

  /// The clocks go forward at 1:00 in Lisbon, back at 2:00, and went forward at midnight in São Paulo.
  @Test(arguments: [
    ("Europe/Lisbon", "2026-03-28T23:30:00Z", "2026-03-29T03:00:00Z"),
    ("Europe/Lisbon", "2026-10-24T22:30:00Z", "2026-10-25T04:00:00Z"),
    ("Asia/Kathmandu", "2026-11-23T12:00:00Z", "2026-11-23T18:15:00Z"),
    ("America/Sao_Paulo", "2018-11-03T21:00:00Z", "2018-11-04T03:00:00Z"),
    ("America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-05T02:00:00Z"),
  ])
  func `tonight is local, also in a night in which the clocks change`(
    zone: String, now: String, end: String
  ) throws {
    #expect(try ends(now, in: zone).tonight == time(end))
  }

  @Test(arguments: [
    ("45m", "2026-11-23T18:45:00Z"), ("2h", "2026-11-23T20:00:00Z"),
    (" For 2H ", "2026-11-23T20:00:00Z"), ("21:00", "2026-11-23T21:00:00Z"),
    ("until 21:00", "2026-11-23T21:00:00Z"), ("9:00", "2026-11-24T09:00:00Z"),
    ("tomorrow 9:00", "2026-11-24T09:00:00Z"), ("Tonight", "2026-11-24T00:00:00Z"),
  ])
  func `an end is typed as a span or as a time`(text: String, end: String) throws {
    #expect(try ends("2026-11-23T18:00:00Z").end(typed: text) == time(end))
  }

  @Test func `always has no end`() throws {
    #expect(try ends("2026-11-23T18:00:00Z").end(typed: "always") == nil)
  }

  @Test(arguments: [
    "", "for", "soon", "now", "21", "31d", "25:00", "2026-11-01 9:00", "2027-11-01 9:00",
  ])
  func `what is no end is answered with what to type`(text: String) throws {
    let ends = try ends("2026-11-23T18:00:00Z")
    #expect(throws: FieldProblem.self) { try ends.end(typed: text) }
  }
}

@Suite struct ShareRequestTests {
  private let now = WireTime("2026-11-23T18:00:00Z") ?? .now
  private let ana = FriendSharing(id: UUID(), username: "ana", displayName: "Ana", own: nil)
  private let city = FriendSharing(id: UUID(), username: "city", displayName: "City", own: nil)

  private func request(_ text: String) throws -> ShareRequest {
    try ShareRequest(
      text.split(separator: " ").map(String.init),
      sharing: SharingTable(friends: [ana, city]), now: now,
      timeZone: try #require(LocalTimeZone(identifier: "Europe/Lisbon")))
  }

  @Test(arguments: [
    "city @ana 2h", "@ana city for 2h", "ana city until 20:00", "city with ana for 2h",
  ])
  func `mode, friend and end stand in any order`(text: String) throws {
    let request = try request(text)
    #expect(request.mode == .approximate10km)
    #expect(request.friendID == ana.id)
    #expect(request.until == now.advanced(by: .seconds(7200)))
  }

  @Test func `a friend is nobody else's word, and no end is typed as well as left out`() throws {
    #expect(try request("precise @city always").friendID == city.id)
    #expect(try request("precise tonight").until == WireTime("2026-11-24T00:00:00Z"))
    #expect(try request("off") == request("nothing"))
  }

  @Test(arguments: [
    ("", "Share off"), ("ana", "Share off"), ("exactly ana", "Share off"),
    ("city @bob", "@bob"), ("city 5x", "45m"),
  ])
  func `what is not understood is said`(text: String, advice: String) throws {
    let problem = #expect(throws: FieldProblem.self) { try request(text) }
    #expect(problem?.advice.contains(advice) == true)
  }
}
