import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct GeoClueLocationTests {
  private let now = Samples.time

  private func values(_ changed: [String: BusValue?] = [:]) -> [String: BusValue] {
    var values: [String: BusValue] = [
      "Latitude": .real(51.05), "Longitude": .real(3.72), "Accuracy": .real(30),
      "Altitude": .real(-1.7976931348623157e+308), "Speed": .real(1.5), "Heading": .real(45),
      "Description": .text("Wi-Fi"),
    ]
    for (name, value) in changed { values[name] = value }
    return values
  }

  private func parse(_ changed: [String: BusValue?] = [:]) -> LocationFix? {
    if case .fix(let fix) = GeoClueLocation(values(changed), at: now) { fix } else { nil }
  }

  private func time(_ seconds: Int64) -> [String: BusValue?] {
    let microseconds = now.microseconds + seconds * 1_000_000
    return [
      "Timestamp/0": .integer(microseconds / 1_000_000),
      "Timestamp/1": .integer(microseconds % 1_000_000),
    ]
  }

  @Test func `a location is a fix as GeoClue measured it`() throws {
    let fix = try #require(parse(time(-7)))
    #expect(fix.coordinate == Samples.coordinate(51.05, 3.72))
    #expect(fix.accuracyMetres == 30)
    #expect(fix.speed == 1.5)
    #expect(fix.course == 45)
    #expect(fix.recordedAt == now.advanced(by: .seconds(-7)))
  }

  @Test func `minus one is unknown, and an accuracy of nothing is not believed`() throws {
    let fix = try #require(
      parse(["Speed": .real(-1), "Heading": .real(-1), "Accuracy": .real(0)]))
    #expect(fix.speed == nil && fix.course == nil && fix.accuracyMetres == nil)
    #expect(parse(["Heading": .real(360)])?.course == 0)
  }

  @Test(arguments: [
    ("Latitude", BusValue.real(.nan)), ("Latitude", .real(90.1)), ("Latitude", .text("51")),
    ("Latitude", nil), ("Longitude", .real(.infinity)), ("Longitude", .real(-180.1)),
    ("Longitude", .integer(3)), ("Accuracy", .real(-1)), ("Accuracy", .real(.nan)),
    ("Accuracy", nil), ("Accuracy", .text("near")),
  ])
  func `what is no place on Earth, or has no accuracy, is no fix`(name: String, value: BusValue?) {
    #expect(GeoClueLocation(values([name: value]), at: now) == .invalid)
  }

  @Test func `0, 0 is no fix`() {
    let place: [String: BusValue?] = ["Latitude": .real(0), "Longitude": .real(0)]
    #expect(GeoClueLocation(values(place), at: now) == .invalid)
  }

  @Test func `a time that is none is that of the arrival, and so is one of a wrong clock`() {
    #expect(parse()?.recordedAt == now)
    #expect(parse(time(20))?.recordedAt == now)
    #expect(parse(time(86_400 * 365 * 70))?.recordedAt == now)
    for value in [BusValue.text("now"), .integer(-5), .integer(.max), .real(1)] {
      #expect(parse(["Timestamp/0": value, "Timestamp/1": .integer(0)])?.recordedAt == now)
    }
    #expect(parse(["Timestamp/0": .integer(5), "Timestamp/1": .integer(.max)])?.recordedAt == now)
  }

  @Test func `a position that GeoClue only remembers is old`() {
    #expect(parse(time(-600)) != nil)
    #expect(GeoClueLocation(values(time(-601)), at: now) == .old)
    let epoch: [String: BusValue?] = ["Timestamp/0": .integer(0), "Timestamp/1": .integer(0)]
    #expect(GeoClueLocation(values(epoch), at: now) == .old)
  }

  @Test func `no values crash it or make an impossible fix`() {
    var random = SeededGenerator(seed: 16)
    let names = values(time(0)).keys.sorted()
    let reals = [
      Double.nan, .infinity, -.infinity, -1, 0, 1e308, -1e308, 51, 360, .leastNonzeroMagnitude,
    ]
    for _ in 0..<5000 {
      var changed: [String: BusValue?] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let value: BusValue? =
          switch Int.random(in: 0..<5, using: &random) {
          case 0: nil
          case 1: .integer(.random(in: Int64.min...Int64.max, using: &random))
          case 2: .text("\u{1b}[2J")
          case 3: .flag(true)
          default: .real(reals.randomElement(using: &random) ?? 0)
          }
        changed[names.randomElement(using: &random) ?? ""] = .some(value)
      }
      guard let fix = parse(changed) else { continue }
      #expect((0...100_000).contains(fix.speed ?? 0))
      #expect((0..<360).contains(fix.course ?? 0))
      #expect((0...10_000_000).contains(fix.accuracyMetres ?? 0))
      #expect(fix.recordedAt <= now)
    }
  }
}

@Suite struct GeoClueSettingTests {
  @Test(arguments: [
    (["DISPLAY": ":0"], true), (["WAYLAND_DISPLAY": "wayland-0"], true), ([:], false),
    (["DISPLAY": ""], false),
    (["DISPLAY": ":10", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"], false),
  ])
  func `by itself it is asked in a desktop session at this machine only`(
    environment: [String: String], isOn: Bool
  ) {
    #expect(GeoClueSetting.auto.isOn(in: environment) == isOn)
    #expect(GeoClueSetting.on.isOn(in: environment))
    #expect(!GeoClueSetting.off.isOn(in: environment))
  }
}
