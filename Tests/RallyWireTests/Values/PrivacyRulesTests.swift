import Foundation
import RallyText
import Testing

@testable import RallyWire

@Suite struct PrivacyRulesTests {
  private static let lisbon = Coordinate(latitude: 38.7223, longitude: -9.1393)!

  private func zone(
    _ name: String = "home", at centre: Coordinate = lisbon, radius: Double = 450,
    _ allows: PrivacyZone.Allowance = .nothing
  ) -> PrivacyZone {
    PrivacyZone(name: name, centre: centre, radiusMetres: radius, allows: allows)
  }

  private func rules(
    zones: [PrivacyZone] = [], hours: [SharingHours] = [], timeZone: String = "Europe/Lisbon"
  ) -> PrivacyRules {
    var rules = PrivacyRules()
    (rules.zones, rules.hours, rules.timeZone) = (zones, hours, timeZone)
    return rules
  }

  private func hours(_ typed: String, _ name: String = "work") throws -> SharingHours {
    try SharingHours(name, typed: typed.split(separator: " ").map(String.init))
  }

  private func time(_ text: String) throws -> WireTime { try #require(WireTime(text)) }

  // MARK: - Zones

  @Test func `a zone holds all within its distance, and its middle does not tell the place`()
    throws
  {
    var random = SeededGenerator(seed: 1)
    var offsets: [Double] = []
    for _ in 0..<2000 {
      let distance = Double.random(in: PrivacyZone.distances, using: &random)
      let place = try #require(
        Coordinate(
          latitude: .random(in: -89.9...89.9, using: &random),
          longitude: .random(in: -180...180, using: &random)))
      let zone = PrivacyZone(
        name: "home", around: place, distance: distance, allows: .nothing, using: &random)
      #expect(zone.protectedDistance.rounded() == distance.rounded())
      offsets.append(zone.centre.distance(to: place) / distance)
      // Everything as near as promised is inside; a centimetre is what a coordinate is rounded by.
      for _ in 0..<8 {
        let near = place.moved(
          by: .random(in: 0...distance - 0.05, using: &random),
          towards: .random(in: 0..<360, using: &random))
        #expect(zone.touches(near, accuracyMetres: nil))
      }
      #expect(rules(zones: [zone], timeZone: "UTC").problem == nil)
    }
    // Uniform over the disc of half the distance: its middle half holds a quarter of the places.
    #expect(offsets.allSatisfy { $0 <= 0.5001 })
    let inner = Double(offsets.count { $0 <= 0.25 }) / Double(offsets.count)
    #expect((0.2...0.3).contains(inner), "\(inner)")
  }

  private static func zone(
    _ distance: Double, around place: Coordinate, _ random: inout SeededGenerator
  ) -> PrivacyZone {
    PrivacyZone(name: "home", around: place, distance: distance, allows: .city, using: &random)
  }

  @Test func `a zone in the middle third of a circle takes it, whatever its distance`() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<50 {
      let old = Self.zone(300, around: Self.lisbon, &random)
      for distance in [300.0, 301, 450, 5000, 200, 80] {
        let zone = Self.zone(distance, around: Self.lisbon, &random)
          .reusing([old], around: Self.lisbon)
        #expect(zone.centre == old.centre && zone.name == "home" && zone.allows == .city)
        // It protects what it was made for, by its own radius or by that of the circle.
        #expect([distance * 1.5, 450].contains(zone.radiusMetres))
        #expect(zone.centre.distance(to: Self.lisbon) + distance <= zone.radiusMetres + 0.05)
      }
      let elsewhere = old.centre.moved(by: 152, towards: 90)
      #expect(
        Self.zone(300, around: elsewhere, &random).reusing([old], around: elsewhere).centre
          != old.centre)
    }
  }

  @Test func `a zone does not become many times larger by a circle of long ago`() {
    var random = SeededGenerator(seed: 3)
    let town = PrivacyZone(
      name: "town", centre: Self.lisbon.moved(by: 900, towards: 40), radiusMetres: 3000,
      allows: .city)
    let zone = Self.zone(300, around: Self.lisbon, &random).reusing([town], around: Self.lisbon)
    #expect(zone.protectedDistance == 300 && zone.centre != town.centre)
  }

  @Test func `a circle is remembered for a year, and goes over the wire`() throws {
    var rules = PrivacyRules()
    let start = try #require(WireTime("2026-03-01T12:00:00Z"))
    let zone = zone(radius: 450)
    rules.remember(zone, at: start)
    let read = try WireJSON.decode(PrivacyRules.self, from: WireJSON.encode(rules))
    #expect(read == rules && rules.isEmpty && rules.problem == nil)
    func circles(after days: Int64) -> [Coordinate] {
      rules.circles(at: start.advanced(by: .seconds(days * 86_400))).map(\.centre)
    }
    #expect(circles(after: 364) == [zone.centre] && circles(after: 366).isEmpty)
    // As many as there may be; the newest stay.
    for number in 1...70 {
      var other = zone
      other.centre = zone.centre.moved(by: Double(number) * 1000, towards: 0)
      rules.remember(other, at: start.advanced(by: .seconds(Int64(number))))
    }
    #expect(rules.former?.count == FormerCircle.limit && rules.problem == nil)
    #expect(rules.former?.contains { $0.centre == zone.centre } == false)
    // Rules without any are written as before, for a server that does not know of them.
    #expect(
      !String(decoding: try WireJSON.encode(PrivacyRules()), as: UTF8.self).contains("former"))
  }

  /// The figures of docs/positions.md: sixty evenings with a zone of 300 m made anew at a fix that is
  /// good to 10 m, and what the mean of all centres says of the place; 200 people, seed 60.
  @Test func `sixty zones around noisy fixes tell hardly more than one`() {
    var random = SeededGenerator(seed: 60)
    func distance(isRemembered: Bool) -> Double {
      let sum = (0..<200).reduce(0.0) { sum, _ in
        var circles: [PrivacyZone] = []
        var means = (latitude: 0.0, longitude: 0.0)
        for _ in 0..<60 {
          let fix = Self.lisbon.moved(
            by: 10 * Double.random(in: 0...1, using: &random).squareRoot(),
            towards: .random(in: 0..<360, using: &random))
          let fresh = Self.zone(300, around: fix, &random)
          let zone = isRemembered ? fresh.reusing(circles, around: fix) : fresh
          if !circles.contains(where: { $0.centre == zone.centre }) { circles.append(zone) }
          means.latitude += zone.centre.latitude / 60
          means.longitude += zone.centre.longitude / 60
        }
        let mean = Coordinate(latitude: means.latitude, longitude: means.longitude)
        return sum + (mean?.distance(to: Self.lisbon) ?? 0)
      }
      return sum / 200
    }
    let (remembered, drawn) = (distance(isRemembered: true), distance(isRemembered: false))
    #expect((85...110).contains(remembered), "\(remembered) m")
    #expect(drawn < 16, "\(drawn) m")
  }

  @Test func `a device is inside when its accuracy circle touches the zone`() {
    let zone = zone(radius: 450)
    let outside = Self.lisbon.moved(by: 500, towards: 30)
    #expect(!zone.touches(outside, accuracyMetres: nil))
    #expect(!zone.touches(outside, accuracyMetres: 45))
    #expect(zone.touches(outside, accuracyMetres: 55))
    // What is no accuracy must not open the zone.
    let far = Self.lisbon.moved(by: 100_000, towards: 30)
    for accuracy in [Double.nan, .infinity] { #expect(zone.touches(far, accuracyMetres: accuracy)) }
    #expect(!zone.touches(far, accuracyMetres: -.greatestFiniteMagnitude))
  }

  @Test func `of several zones the strictest counts, and the hours come first`() throws {
    var rules = rules(zones: [zone("city", radius: 9000, .city), zone("home")])
    let monday = try time("2026-11-23T12:00:00Z")
    func limit(_ metres: Double, measuredAt: WireTime? = nil) -> PrivacyLimit {
      rules.limit(
        at: Self.lisbon.moved(by: metres, towards: 0), accuracyMetres: 5, measuredAt: measuredAt,
        now: monday)
    }
    #expect(limit(100) == PrivacyLimit(mode: .off, reason: .zone("home")))
    #expect(limit(1000) == PrivacyLimit(mode: .approximate10km, reason: .zone("city")))
    #expect(limit(20_000) == .none)
    rules.hours = [try hours("mon-fri 9-18")]
    #expect(limit(20_000) == .none)
    // Where somebody was outside of the hours is told in none of them.
    let night = try time("2026-11-23T03:00:00Z")
    #expect(limit(20_000, measuredAt: night) == PrivacyLimit(mode: .off, reason: .hours))
    rules.hours = [try hours("sat,sun 9-18")]
    #expect(limit(20_000) == PrivacyLimit(mode: .off, reason: .hours))
  }

  // MARK: - Hours

  @Test(arguments: [
    ("mon-fri 9-18", "mon-fri 09:00-18:00"), ("sat,sun 10:30-12", "sat,sun 10:30-12:00"),
    ("22-6", "mon-sun 22:00-06:00"), ("fri-mon 0-24", "mon,fri,sat,sun 00:00-24:00"),
    ("MON 9-10", "mon 09:00-10:00"), ("mon-wed,wed,thu 9:05-9:06", "mon-thu 09:05-09:06"),
  ])
  func `hours are read, and written as what is read as the same`(typed: String, text: String) throws
  {
    let hours = try hours(typed)
    #expect(hours.sentence == text)
    #expect(try self.hours(text) == hours)
  }

  @Test(arguments: [
    "", "mon", "mon-fri", "9", "9-9", "25-26", "9-18 mon", "mon-fry 9-18", "mon- 9-18", "9:60-10",
    "-1-5", "9-18-20", "mon 9:5:1-10", "24-5", "mon 9-18 x", "0-0", "9--18", "٩-١٨",
  ])
  func `what is no hours is refused with what to type`(typed: String) throws {
    let problem = #expect(throws: FieldProblem.self) { try hours(typed) }
    #expect(problem?.advice.contains("mon-fri 9-18") == true)
  }

  @Test func `hours over midnight belong to the day on which they begin`() throws {
    let rules = rules(hours: [try hours("fri 22-6")], timeZone: "UTC")
    for (text, isOpen) in [
      ("2026-11-27T21:59:59Z", false), ("2026-11-27T22:00:00Z", true),
      ("2026-11-28T05:59:59Z", true), ("2026-11-28T06:00:00Z", false),
      ("2026-11-27T03:00:00Z", false), ("2026-11-28T22:30:00Z", false),
    ] {
      #expect(rules.isOpen(at: try time(text)) == isOpen, "\(text)")
    }
  }

  @Test func `the hours follow their own clock, in summer too`() throws {
    let rules = rules(hours: [try hours("9-18")], timeZone: "Europe/Berlin")
    #expect(!rules.isOpen(at: try time("2026-01-15T07:59:00Z")))
    #expect(rules.isOpen(at: try time("2026-01-15T08:00:00Z")))
    #expect(rules.isOpen(at: try time("2026-07-15T07:00:00Z")))
    #expect(!rules.isOpen(at: try time("2026-07-15T16:00:00Z")))
    let opening = try #require(rules.nextChange(after: try time("2026-07-18T20:00:00Z")))
    #expect(opening == (try time("2026-07-19T07:00:00Z")))
    #expect(rules.dayAndTime(opening) == "Sun 09:00")
    let unknown = self.rules(hours: [try hours("9-18")], timeZone: "Mars/Olympus")
    #expect(!unknown.isOpen(at: try time("2026-07-15T12:00:00Z")))
    #expect(unknown.nextChange(after: try time("2026-07-15T12:00:00Z")) == nil)
  }

  @Test func `the next change is the first minute at which it is`() throws {
    var random = SeededGenerator(seed: 3)
    // Around the nights on which the clock is changed, and anywhere else.
    let starts = try [
      "2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z", "2026-04-04T08:00:00Z",
      "2026-06-10T01:23:45Z",
    ].map(time)
    for zone in ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]
    {
      for start in starts {
        let all = try (0..<3).map { number in
          let (from, to) = (
            Int.random(in: 0..<48, using: &random), Int.random(in: 1...48, using: &random)
          )
          let day = SharingHours.dayNames[Int.random(in: 0..<7, using: &random)]
          let end = from == to ? (to % 48) + 1 : to
          return try hours(
            "\(day) \(LocalMinute.text(from * 30))-\(LocalMinute.text(end * 30))", "h\(number)")
        }
        let rules = rules(hours: all, timeZone: zone)
        let isOpen = rules.isOpen(at: start)
        let minute = (1...8 * 1440).lazy
          .map {
            WireTime(microseconds: (start.microseconds / 60_000_000 + Int64($0)) * 60_000_000)
          }
          .first { rules.isOpen(at: $0) != isOpen }
        #expect(rules.nextChange(after: start) == minute, "\(zone) \(start) \(all.map(\.sentence))")
      }
    }
    #expect(rules(hours: [try hours("0-24")]).nextChange(after: starts[0]) == nil)
    #expect(rules().nextChange(after: starts[0]) == nil)
  }

  // MARK: - Validity

  @Test func `names are words, and none that commands use`() throws {
    #expect(try PrivacyRules.checkedName("Home-2") == "home-2")
    for name in [
      "", "off", "AT", "list", "ho me", "-a", "é", "a\u{1B}", String(repeating: "a", count: 25),
    ] {
      #expect(throws: FieldProblem.self, "\(name)") { try PrivacyRules.checkedName(name) }
    }
  }

  @Test func `what are no rules is told without a number of a place`() throws {
    let fine = rules(zones: [zone()], hours: [try hours("9-18")])
    #expect(fine.problem == nil)
    var broken: [PrivacyRules] = []
    for change: (inout PrivacyRules) -> Void in [
      { $0.zones = (0...PrivacyRules.limit).map { zone("z\($0)") } },
      { $0.zones.append(zone()) }, { $0.zones[0].name = "Home" }, { $0.zones[0].name = "" },
      { $0.zones[0].radiusMetres = 10 }, { $0.zones[0].radiusMetres = .nan },
      { $0.zones[0].radiusMetres = 1e6 }, { $0.hours[0].days = [] }, { $0.hours[0].days = [7] },
      { $0.hours[0].days = [1, 0] }, { $0.hours[0].days = [1, 1] }, { $0.hours[0].start = 1440 },
      { $0.hours[0].end = 0 }, { $0.hours[0].end = $0.hours[0].start },
      { $0.hours.append($0.hours[0]) }, { $0.timeZone = "Mars/Olympus" },
      { $0.timeZone = String(repeating: "A", count: 65) },
    ] {
      var rules = fine
      change(&rules)
      broken.append(rules)
    }
    for rules in broken {
      let problem = try #require(rules.problem)
      #expect(!problem.contains("38.7") && !problem.contains("9.1"))
    }
  }

  @Test func `rules survive the way there and back, and unknown ones are none`() throws {
    let rules = rules(zones: [zone(), zone("town", .city)], hours: [try hours("mon-fri 9-18")])
    let text = try WireJSON.text(rules)
    #expect(try WireJSON.decode(PrivacyRules.self, from: Data(text.utf8)) == rules)
    let read = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    #expect(
      Set(read["zones"]?.array?.first?.object?.keys.map(\.self) ?? []) == [
        "name", "latitude", "longitude", "radius_m", "allows",
      ])
    #expect(
      read["hours"]?.array?.first == [
        "name": "work", "days": [0, 1, 2, 3, 4], "start_minute": 540, "end_minute": 1080,
      ])
    for other in [
      text.replacing("\"nothing\"", with: "\"country\""), text.replacing("38.7223", with: "91"),
      text.replacing("\"radius_m\"", with: "\"radius\""),
    ] {
      #expect(throws: (any Error).self) {
        try WireJSON.decode(PrivacyRules.self, from: Data(other.utf8))
      }
    }
  }
}
