import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

/// What leaves by random rules, at random places and times.
@Suite struct OwnPositionPrivacyTests {
  private struct World {
    var rules = PrivacyRules()
    var random: SeededGenerator

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      for number in 0..<Int.random(in: 0...3, using: &random) {
        rules.zones.append(
          PrivacyZone(
            name: "z\(number)", around: place(), distance: .random(in: 50...20_000, using: &random),
            allows: Bool.random(using: &random) ? .nothing : .city, using: &random))
      }
      if Bool.random(using: &random) {
        rules.hours = [try SharingHours("work", typed: ["mon-fri", "9-18"])]
        rules.timeZone = "Europe/Lisbon"
      }
    }

    /// Within some 30 km of Lisbon.
    mutating func place() -> Coordinate {
      Samples.coordinate(
        .random(in: 38.5...38.95, using: &random), .random(in: -9.4 ... -8.9, using: &random))
    }

    mutating func fix(at place: Coordinate, time: WireTime) -> LocationFix {
      LocationFix(
        coordinate: place, accuracyMetres: .random(in: 3...2000, using: &random), speed: 1.4,
        course: 90, battery: 60, recordedAt: time, source: "gpsd")
    }
  }

  @Test func `no finer bit leaves than the rules, the friends and the hours let`() throws {
    var counts: [SharingMode: Int] = [:]
    for seed in 0..<1000 as Range<UInt64> {
      var world = try World(seed: seed)
      var known: OwnPosition?
      for step in 0..<12 {
        let now = Samples.time.advanced(by: .seconds(step * 7 * 3600 + Int(seed)))
        let place = world.place()
        let fix = world.fix(at: place, time: now)
        let audience = SharingMode.allCases.randomElement(using: &world.random) ?? .off
        let limit = world.rules.limit(
          at: place, accuracyMetres: fix.accuracyMetres, now: now)
        // The rule by itself, told as simply as it can be.
        let touching = world.rules.zones.filter {
          $0.centre.distance(to: place) <= $0.radiusMetres + (fix.accuracyMetres ?? 0)
        }
        let isHeld = touching.contains { $0.allows == .nothing } || !world.rules.isOpen(at: now)
        let report = OwnPosition.report(of: fix, for: audience, within: limit, known: known)
        guard let report else { continue }
        let precision = try #require(report.precision)
        counts[precision, default: 0] += 1
        #expect(!isHeld && audience > .off)
        #expect(precision <= audience)
        #expect(touching.isEmpty || precision == .approximate10km)
        if let level = precision.gridLevel {
          // The same for every other place of the cell that is told: nothing finer is in it.
          let told = try #require(report.coordinate)
          #expect(told == GridCell(containing: told, level: level).center)
          #expect(report == LocationReport(in: GridCell(containing: told, level: level), at: now))
        } else {
          #expect(report.coordinate == place)
        }
        known = OwnPosition(report)
      }
    }
    // Each of the cases was met.
    for mode in SharingMode.allCases where mode > .off { #expect(counts[mode] ?? 0 > 100) }
  }

  @Test func `at the edge of a zone nothing is sent that tells of it`() throws {
    let zone = PrivacyZone(
      name: "home", centre: Samples.lisbon, radiusMetres: 450, allows: .city)
    var rules = PrivacyRules()
    rules.zones = [zone]
    func fix(_ metres: Double, after seconds: Int) -> LocationFix {
      LocationFix(
        coordinate: Samples.coordinate(
          Samples.lisbon.latitude - metres / 111_195, Samples.lisbon.longitude),
        accuracyMetres: 5, recordedAt: Samples.time.advanced(by: .seconds(seconds)), source: "gpsd")
    }
    func report(_ fix: LocationFix, known: OwnPosition?) -> LocationReport? {
      OwnPosition.report(
        of: fix, for: .precise,
        within: rules.limit(
          at: fix.coordinate, accuracyMetres: fix.accuracyMetres, now: fix.recordedAt),
        known: known)
    }
    for allows in PrivacyZone.Allowance.allCases {
      rules.zones[0].allows = allows
      let outside = try #require(report(fix(600, after: 0), known: nil))
      #expect(outside.precision == .precise)
      let known = try #require(OwnPosition(outside))
      // Going home, being there, for hours.
      for (metres, seconds) in [(400.0, 60), (0, 120), (0, 3600), (0, 80_000)] {
        #expect(report(fix(metres, after: seconds), known: known) == nil)
      }
      // When maps show the last position no more, the city may be told, and nothing else.
      let late = report(fix(0, after: 100_000), known: known)
      #expect(late?.precision == (allows == .city ? .approximate10km : nil))
    }
  }
}
