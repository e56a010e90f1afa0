import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// What may be typed after `:tell`.
@Suite struct AlertRequestTests {
  // A Monday.
  private let now = WireTime("2026-11-23T15:00:00Z") ?? .now

  private func parse(_ text: String) throws -> AlertRequest {
    try AlertRequest(
      text.split(separator: " ").map(String.init), now: now, timeZone: .utc)
  }

  @Test(arguments: [
    ("bob near 500m", "bob", nil as String?, 500.0 as Double?),
    ("@bob near 2 km", "bob", nil, 2000), ("Bob NEAR me", "Bob", nil, nil),
    ("bob near 500 of Bar Trinken", "bob", "Bar Trinken", 500),
    ("bob near 1.5km Bar Trinken", "bob", "Bar Trinken", 1500),
    ("bob near 38.72,-9.14", "bob", "38.72,-9.14", nil),
    ("bob near 500m 38.72 -9.14", "bob", "38.72 -9.14", 500),
    ("bob near 38.72 -9.14", "bob", "38.72 -9.14", nil),
    ("bob near 221B Baker Street", "bob", "221B Baker Street", nil),
    ("bob near 5 Mile Creek", "bob", "5 Mile Creek", nil),
    ("bob near of", "bob", "of", nil), ("near near near", "near", "near", nil),
    ("until near until until 2h", "until", "until", nil),
  ])
  func `who, how far and where are told apart`(
    text: String, name: String, place: String?, metres: Double?
  ) throws {
    let request = try parse(text)
    #expect(request.username == name)
    #expect(request.condition == .near)
    #expect(request.metres == metres)
    #expect(request.place == place.map { .named($0) } ?? .standard)
  }

  @Test func `anybody is nobody by name, unless the name has its sign`() throws {
    #expect(try parse("anybody near Porto").username == nil)
    #expect(try parse("@anybody near Porto").username == "anybody")
    #expect(try parse("bob leaves here").place == .here)
    #expect(try parse("bob leaves me").place == .named("me"))
    #expect(try parse("bob leaves").place == .standard)
  }

  @Test(arguments: [
    ("friday", "2026-11-28T00:00:00Z", "Friday 24:00"),
    ("fri 18:30", "2026-11-27T18:30:00Z", "Friday 18:30"),
    ("monday", "2026-11-24T00:00:00Z", "midnight"),
    ("monday 9:00", "2026-11-30T09:00:00Z", "Monday 09:00"),
    ("tomorrow", "2026-11-25T00:00:00Z", "Tuesday 24:00"), ("2h", "2026-11-23T17:00:00Z", "17:00"),
    ("tomorrow 9:00", "2026-11-24T09:00:00Z", "tomorrow 09:00"),
    ("2026-12-05", "2026-12-06T00:00:00Z", "2026-12-06 00:00"),
  ])
  func `an end is a span, a time or a day`(text: String, end: String, words: String) throws {
    let until = try #require(try parse("bob near Bar until \(text)").until)
    #expect(until == WireTime(end))
    #expect(WhenText(timeZone: .utc, now: now).words(ofEnd: until) == words)
  }

  @Test(arguments: [
    "", "bob", "bob far", "near 500m bob", "bob near 5m", "bob near 5000km", "bob near Bar until",
    "bob near Bar until 1.5 beers", "\u{1B}]0;x\u{7} \u{1B}[2J",
  ])
  func `what is meant otherwise says what to type`(text: String) throws {
    let problem = #expect(throws: FieldProblem.self) { try parse(text) }
    let advice = try #require(problem?.advice)
    #expect(["Type ", "Use "].contains { advice.hasPrefix($0) })
    #expect(!advice.contains("\u{1B}"))
  }

  @Test func `a name of nobody, also a hostile one, is said without its escapes`() throws {
    let scene = AlertScene(
      friends: [Samples.friend(2)], positions: [], me: nil)
    for name in ["nobody", "\u{1B}]0;x\u{7}", "@", "lu\u{202E}", "../lu", "anybody\u{0}"] {
      let request = try AlertRequest([name, "near"], now: now)
      let problem = #expect(throws: FieldProblem.self) {
        try LocationAlert(request, at: nil, in: scene)
      }
      let advice = try #require(problem?.advice)
      #expect(advice.hasPrefix("No friend of yours is called @"))
      #expect(advice.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{202E}" })
    }
  }

  @Test func `a large place takes its own size, and no smaller one`() throws {
    let scene = AlertScene(friends: [], positions: [], me: nil)
    let lisbon = Place(name: "Lisbon", coordinate: Samples.lisbon, radiusMetres: 5000)
    #expect(
      try LocationAlert(parse("anybody near Lisbon"), at: lisbon, in: scene).metres == 5000)
    let problem = #expect(throws: FieldProblem.self) {
      try LocationAlert(parse("anybody near 500m Lisbon"), at: lisbon, in: scene)
    }
    #expect(problem?.advice == "Lisbon is larger than 500 m: type at least 5 km.")
  }
}
